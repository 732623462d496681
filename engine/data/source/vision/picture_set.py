"""Sets of torchvision that are files of pictures: torchvision's classes say which picture is in
which part and class, by introspection of what they make; nothing is decoded.
"""

import inspect
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.data.source.image_index import FolderReport, ImageIndex, IndexHead
from engine.data.source.source import PARTS, Part
from engine.data.source.vision.array_set import missing, vision_class
from engine.data.source.vision.exchange import exchanged
from engine.data.source.vision.face import face_classes, face_rows
from engine.diagnostics import DiagnosticError

_FIELD = "data.source.path"


class SetList(NamedTuple):
    """How the lists of a set are read where torchvision's class takes too long over them: both
    functions take torchvision's class, the folder and the variant that was chosen; ``rows`` yields
    part, path below the folder and class of each picture.
    """

    rows: Callable[[Any, Path, str], Iterator[tuple[Part | None, str, int]]]
    classes: Callable[[Any, Path, str], tuple[str, ...]]


class PictureSet(NamedTuple):
    """How torchvision's class is called for each part (None: the set has no parts). ``marker`` is
    the folder in which it looks (a pattern, where it has several names), ``variant`` the argument
    that the chosen variant goes to, as ``values`` has it, where a part has no value of its own. A
    class that ``is_unsorted`` numbers its classes and pictures as the system lists their folders,
    which is another way on each machine.
    """

    marker: str
    parts: tuple[tuple[Part | None, Mapping[str, object]], ...]
    variant: str = ""
    values: Mapping[str, object] = {}
    reader: SetList | None = None
    is_unsorted: bool = False

    def arguments(self, chosen: str) -> Iterator[tuple[Part | None, dict[str, object]]]:
        """Yield each part with its arguments."""
        more = {self.variant: self.values.get(chosen, chosen)} if self.variant else {}
        for part, arguments in self.parts:
            yield part, {**more, **arguments}


def _split(**names: str) -> tuple[tuple[Part, Mapping[str, object]], ...]:
    return tuple((part, {"split": names[part]}) for part in PARTS if part in names)


_WHOLE: tuple[tuple[Part | None, Mapping[str, object]], ...] = ((None, {}),)
_THREE = _split(train="train", validation="val", test="test")
_TWO = _split(train="train", test="test")
PICTURE_SETS: Mapping[str, PictureSet] = {
    "Caltech101": PictureSet("caltech101", _WHOLE),
    "Caltech256": PictureSet("caltech256", _WHOLE),
    "CelebA": PictureSet("celeba", (), reader=SetList(face_rows, face_classes)),
    "CLEVRClassification": PictureSet("clevr", _split(train="train", validation="val")),
    "Country211": PictureSet("country211", _split(train="train", validation="valid", test="test")),
    "DTD": PictureSet("dtd", _THREE),
    "EuroSAT": PictureSet("eurosat", _WHOLE),
    "FGVCAircraft": PictureSet("fgvc-aircraft-2013b", _THREE),
    "Flowers102": PictureSet("flowers-102", _THREE),
    "Food101": PictureSet("food-101", _TWO),
    "GTSRB": PictureSet("gtsrb", _TWO),
    "Imagenette": PictureSet(
        "imagenette2*", _split(train="train", validation="val"), variant="size"
    ),
    "INaturalist": PictureSet(
        "2021_train*",
        (("train", {}), ("validation", {"version": "2021_valid"})),
        variant="version",
    ),
    "LFWPeople": PictureSet("lfw-py", ((None, {"split": "10fold"}),), variant="image_set"),
    "Omniglot": PictureSet(
        "omniglot-py",
        _WHOLE,
        variant="background",
        values={"background": True, "evaluation": False},
        is_unsorted=True,
    ),
    "OxfordIIITPet": PictureSet("oxford-iiit-pet", _split(train="trainval", test="test")),
    "Places365": PictureSet(
        "categories_places365.txt",
        _split(train="train-standard", validation="val"),
        variant="small",
        values={"256px": True, "full": False},
    ),
    "RenderedSST2": PictureSet("rendered-sst2", _THREE),
    "StanfordCars": PictureSet("stanford_cars", _TWO),
    "SUN397": PictureSet("SUN397", _WHOLE),
}
"""By the name of torchvision's class."""

_MARKERS: Mapping[str, str] = {
    **{name: each.marker for name, each in PICTURE_SETS.items()},
    "LFWPairs": "lfw-py",
}
_Row = tuple[str, int, int]
"""A picture: its path below the root, its class, and the index of its part (-1: none)."""


def picture_index(name: str, root: Path, variant: str) -> ImageIndex:
    """Return the pictures of a set in a folder.

    Raises :class:`DiagnosticError`: D245 where the set is not there, D254 where its lists are
    damaged or name pictures outside of the folder.
    """
    root = Path(os.path.abspath(root))  # noqa: PTH100 - links stay as the user wrote them
    described = PICTURE_SETS[name]
    read = _from_lists if described.reader else _from_class
    rows, classes = read(name, root, variant)
    if not rows or (classes and any(not 0 <= label < len(classes) for _, label, _ in rows)):
        raise damaged(name, root, ValueError("classes that are not numbered from 0"))
    return _index(root, rows, classes, has_parts=len({part for *_, part in rows}) > 1)


def _from_class(name: str, root: Path, variant: str) -> tuple[list[_Row], tuple[str, ...]]:
    rows: list[_Row] = []
    classes: tuple[str, ...] = ()
    for part, arguments in PICTURE_SETS[name].arguments(variant):
        number = -1 if part is None else PARTS.index(part)
        dataset = opened(name, root, arguments)
        try:
            found = [(below(root, path), int(label), number) for path, label in _rows(dataset)]
            if not found:
                raise ValueError("a part without pictures")
            classes = classes or _classes(dataset, found)
        except (ValueError, TypeError, AttributeError, LookupError) as error:
            raise damaged(name, root, error) from error
        rows += found
    return _sorted(rows, classes) if PICTURE_SETS[name].is_unsorted else (rows, classes)


def _sorted(rows: Sequence[_Row], classes: tuple[str, ...]) -> tuple[list[_Row], tuple[str, ...]]:
    order = sorted(range(len(classes)), key=classes.__getitem__)
    number = {old: new for new, old in enumerate(order)}
    found = sorted((path, number[label], part) for path, label, part in rows)
    return found, tuple(classes[old] for old in order)


def _from_lists(name: str, root: Path, variant: str) -> tuple[list[_Row], tuple[str, ...]]:
    described, cls = PICTURE_SETS[name], vision_class(name)
    if described.reader is None:
        return [], ()
    rows: list[_Row] = []
    try:
        for part, path, label in described.reader.rows(cls, root, variant):
            number = -1 if part is None else PARTS.index(part)
            rows.append((below(root, root / path), label, number))
        return rows, described.reader.classes(cls, root, variant)
    except FileNotFoundError as error:
        raise _missing(name, root, error) from error
    except (ValueError, LookupError) as error:
        raise damaged(name, root, error) from error


def opened(
    name: str, root: Path, arguments: Mapping[str, object], *, downloads: bool = False
) -> Any:
    """Return what torchvision's class makes of a folder. Raises as :func:`picture_index` does.

    What is there already is taken as it is: torchvision wants the archives kept, and reads all of
    them each time to compare their checksums.
    """
    cls = vision_class(name)
    has = inspect.signature(cls).parameters
    more: dict[str, object] = {"loader": _itself} if "loader" in has else {}
    try:
        if downloads:
            return cls(str(root), **arguments, **more, download=True)
        if not any(root.glob(_MARKERS[name])):  # some classes make folders else
            raise FileNotFoundError
        with exchanged(sys.modules[cls.__module__], {"check_integrity": _is_whole}):
            return cls(str(root), **arguments, **more)
    except DiagnosticError:
        raise
    except (RuntimeError, FileNotFoundError) as error:
        raise _missing(name, root, error) from error
    except Exception as error:  # of a reader of any text
        raise damaged(name, root, error) from error


def damaged(name: str, root: Path, error: Exception) -> DiagnosticError:
    """Return that the files of a set are damaged (D254), with what it was."""
    detail = f"{type(error).__name__}: {error}"
    return DiagnosticError.of("D254", field=_FIELD, detail=detail, name=name, folder=str(root))


def _missing(name: str, root: Path, error: Exception) -> DiagnosticError:
    """Return that a set is not in a folder: the file that was looked for, else its own folder."""
    file = str(getattr(error, "filename", None) or "")
    below = os.path.relpath(file, root).replace(os.sep, "/") if file else ""
    is_below = bool(below) and not below.startswith("../")
    return missing(name, root, below if is_below else _MARKERS[name].rstrip("*"))


def _itself(path: object) -> object:
    return path


def _is_whole(path: object, md5: object = None) -> bool:
    del path, md5
    return True


def _rows(dataset: Any) -> Iterator[tuple[object, Any]]:
    """Yield path and class of each picture: what an item is where its picture is not loaded, else
    the list that the class keeps.
    """
    if hasattr(dataset, "loader"):
        yield from (dataset[at] for at in range(len(dataset)))
    elif hasattr(dataset, "_samples"):
        yield from dataset._samples  # noqa: SLF001 - it has no other door
    elif hasattr(dataset, "targets"):
        yield from zip(dataset.data, dataset.targets, strict=True)
    elif hasattr(dataset, "categories"):
        yield from _numbered(dataset)
    else:
        yield from zip(dataset._images, dataset._labels, strict=True)  # noqa: SLF001


def _numbered(dataset: Any) -> Iterator[tuple[object, int]]:
    """Yield path and class of the pictures of Caltech, whose classes number them from 1 and write
    their paths nowhere but where they open one.
    """
    count = len(dataset.categories)
    is_101 = type(dataset).__name__ == "Caltech101"
    folder = Path(dataset.root) / f"{101 if is_101 else 256}_ObjectCategories"
    for label, number in zip(dataset.y, dataset.index, strict=True):
        if not 0 <= label < count:
            raise ValueError(f"the class {label} of {count}")
        file = f"image_{number:04d}" if is_101 else f"{label + 1:03d}_{number:04d}"
        yield folder / dataset.categories[label] / f"{file}.jpg", label


def below(root: Path, path: object) -> str:
    """Return a path below the root. Raises ``ValueError`` for one outside of it."""
    below = os.path.relpath(str(path), root).replace(os.sep, "/")
    if below.startswith(("../", "/")) or "\x00" in below:
        raise ValueError(f"a picture outside of the folder: {below[:200]}")
    return below


def _classes(dataset: Any, rows: Sequence[_Row]) -> tuple[str, ...]:
    """Return the names of the classes: those that torchvision gives them, else their numbers."""
    kept = ("classes", "categories", "_characters", "all_categories")
    names = next((found for each in kept if (found := getattr(dataset, each, None))), None)
    if names is None and hasattr(dataset, "class_to_idx"):
        numbers: dict[str, int] = dataset.class_to_idx
        names = sorted(numbers, key=numbers.__getitem__)
    if names is None:
        return tuple(map(str, range(max((label for _, label, _ in rows), default=-1) + 1)))
    return tuple(each if isinstance(each, str) else ", ".join(each) for each in names)


def _index(
    root: Path, rows: Sequence[_Row], classes: tuple[str, ...], *, has_parts: bool
) -> ImageIndex:
    numbers: dict[str, int] = {}
    folders = [path.rpartition("/")[0] for path, _, _ in rows]
    names = [os.fsencode(path.rpartition("/")[2]) for path, _, _ in rows]
    folder = [numbers.setdefault(each, len(numbers)) for each in folders]
    arrays: dict[str, NDArray[np.generic]] = {
        "folder_times": np.array([_time_of(root / each) for each in numbers], np.int64),
        "offsets": np.cumsum([0, *map(len, names)], dtype=np.int64),
        "sizes": np.zeros(len(rows), np.int64),
        "times": np.zeros(len(rows), np.int64),
        "folder": np.array(folder, np.int32),
        "label": np.array([label for _, label, _ in rows], np.int32),
        "part": np.array([part for _, _, part in rows], np.int8),
        "names": np.frombuffer(b"".join(names), np.uint8),
    }
    head = IndexHead(
        root=str(root),
        folders=tuple(numbers),
        classes=classes,
        report=FolderReport(),
        has_parts=has_parts,
        is_published=True,
    )
    return ImageIndex(head, arrays)


def _time_of(folder: Path) -> int:
    try:
        return folder.stat().st_mtime_ns
    except OSError:
        return -1  # a picture in it is told when it is read
