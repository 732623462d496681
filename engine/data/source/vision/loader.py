"""Sources of torchvision's sets: arrays or files of pictures in a folder, parts as given."""

from collections.abc import Mapping
from functools import partial
from itertools import islice
from pathlib import Path

from engine.catalog.spec import Value
from engine.data.read.image import read_bytes
from engine.data.source.array_field import ArrayField, input_field
from engine.data.source.array_rows import ArrayRows
from engine.data.source.arrays import array_source
from engine.data.source.damaged_files import DamagedFiles
from engine.data.source.field import label_info
from engine.data.source.file_hashes import FileHashes
from engine.data.source.image_folder import image_source
from engine.data.source.parameter import path_param, text_param
from engine.data.source.source import Loader, Source, consecutive_parts
from engine.data.source.vision.array_set import ARRAY_MARKERS, ARRAY_SETS, read_portions
from engine.data.source.vision.face import BOXES, LANDMARKS
from engine.data.source.vision.face_box import face_box_source
from engine.data.source.vision.landmarks import FACES, landmark_source
from engine.data.source.vision.pairs import PAIRS, PAIRS_LIST, pair_source
from engine.data.source.vision.picture_set import PICTURE_SETS, picture_index

_FILES: Mapping[str, tuple[str, ...]] = {
    "CIFAR10": ("data_batch_1", "test_batch", "batches.meta"),
    "CIFAR100": ("train", "test", "meta"),
    "STL10": ("train_X.bin", "train_y.bin"),
}
"""Files by which the own folder of a set is known."""

_MOST_VARIANTS = 100  # files that are looked at for which variant there is


def vision_loaders() -> Mapping[str, Loader]:
    """Return the loaders of all sets, by the name of torchvision's class."""
    arrays = {name: partial(load_array_set, name) for name in ARRAY_SETS}
    pictures = {name: partial(load_picture_set, name) for name in PICTURE_SETS}
    return {**arrays, **pictures, PAIRS: load_pairs}


def find_set(folder: Path) -> str:
    """Return the set that lies in a folder as torchvision lays it out; empty for none, or for
    several.
    """
    found = sets_in(folder)
    return found[0] if len(found) == 1 else ""


def sets_in(folder: Path) -> list[str]:
    """Return the sets that lie in a folder as torchvision lays them out."""
    markers = {**ARRAY_MARKERS, **{name: each.marker for name, each in PICTURE_SETS.items()}}
    found = [name for name, marker in markers.items() if any(folder.glob(marker))]
    if found == ["LFWPeople"] and not (folder / "lfw-py" / "people.txt").exists():
        found = [PAIRS] if (folder / PAIRS_LIST).exists() else found
    return found


def set_of_folder(folder: Path) -> tuple[str, Path] | None:
    """Return the set whose own folder this is, such as ``MNIST`` or ``cifar-10-batches-py`` (of the
    latter under any name), and the folder that it is read from; None for another folder.
    """
    folder = folder.absolute()
    marker = ARRAY_MARKERS.get(folder.name, "")
    if marker == f"{folder.name}/raw" and any((folder / "raw").rglob("*-ubyte*")):
        return folder.name, folder.parent
    for name, files in _FILES.items():
        if all((folder / file).is_file() for file in files):
            return name, folder
    return None


def find_variant(name: str, folder: Path) -> str:
    """Return which variant of a set lies in a folder; empty where the usual one does, or none."""
    match name:
        case "EMNIST":
            files = (folder / "EMNIST" / "raw").rglob("emnist-*-train-images-idx3-ubyte*")
            found = [file.name.split("-")[1] for file in islice(files, _MOST_VARIANTS)]
            usual = "balanced"
        case "Imagenette":
            found = [f"{each.name.partition('-')[2]}px" for each in folder.glob("imagenette2-*")]
            found += ["full"] if (folder / "imagenette2").is_dir() else []
            usual = "160px"
        case "INaturalist":
            found = [each.name for each in folder.glob("2021_train*")]
            usual = "2021_train_mini"
        case "LFWPeople" | "LFWPairs":
            names = {"lfw": "original", "lfw-deepfunneled": "deepfunneled"}
            found = [names.get(each.name, "funneled") for each in (folder / "lfw-py").glob("lfw*")]
            usual = "funneled"
        case "Omniglot":
            folders = (folder / "omniglot-py").glob("images_*")
            found = [each.name.partition("_")[2] for each in folders if each.is_dir()]
            usual = "background"
        case "Places365":
            found = ["256px"] if any(folder.glob("data_256_*")) else ["full"]
            usual = "256px"
        case _:
            return ""
    return "" if usual in found or not found else min(found)


def load_array_set(name: str, params: Mapping[str, Value]) -> Source:
    """Return a set of small pictures, ``image`` from 0 to 1 and ``label``, with its given parts.

    Raises :class:`DiagnosticError`: D255 without a folder, D245 where the set is not there, D254
    for damaged files.
    """
    root, variant = vision_place(params)
    portions, classes = read_portions(name, root, variant)
    image = input_field("image", ArrayRows(tuple(each.images for each in portions)), "image")
    labels = ArrayRows(tuple(each.labels for each in portions))
    label = ArrayField(info=label_info(classes), rows=labels)
    parts = consecutive_parts((each.part, len(each.labels)) for each in portions)
    return array_source((image, label), parts)


def load_picture_set(name: str, params: Mapping[str, Value]) -> Source:
    """Return a set of pictures that are read when a batch needs them, with its given parts; of
    faces the landmarks or boxes, where these are chosen.

    Raises as :func:`load_array_set` does.
    """
    root, variant = vision_place(params)
    index = picture_index(name, root, variant)
    damaged = DamagedFiles(Path(index.head.root), None)
    hashes = FileHashes(len(index), index.path, read_bytes, None, root=Path(index.head.root))
    if (name, variant) == (FACES, BOXES):
        return face_box_source(index, root, hashes, params)
    source = image_source(index, params, damaged, hashes)
    is_of_points = (name, variant) == (FACES, LANDMARKS)
    return landmark_source(source, root) if is_of_points else source


def load_pairs(params: Mapping[str, Value]) -> Source:
    """Return pairs of pictures, of the same person or of different ones. Raises as
    :func:`~engine.data.source.vision.pairs.pair_source` does, and D255 without a folder.
    """
    return pair_source(*vision_place(params), params)


def vision_place(params: Mapping[str, Value]) -> tuple[Path, str]:
    """Return the folder of a set and its variant (empty where there is but one). Raises
    :class:`DiagnosticError` (D255) where no folder is chosen.
    """
    return path_param(params, "path", "D255"), text_param(params, "variant")
