"""Sets of torchvision that are arrays: small pictures of one size in a few files.

Addresses, checksums, file names and class names are those of torchvision's classes, so that an
update of torchvision brings new ones; the files are read here, since torchvision unpickles them.
"""

import bz2
import csv
import io
from collections.abc import Callable, Iterator, Mapping
from math import prod
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np

from engine.data.read.array import find_arrays
from engine.data.read.hdf5 import hdf5_array
from engine.data.read.stored import StoredArray
from engine.data.source.parameter import is_small
from engine.data.source.source import Part
from engine.data.source.vision.batch_file import read_batch
from engine.data.source.vision.by_hand import BY_HAND
from engine.data.source.vision.matrix_file import read_matrices
from engine.diagnostics import DiagnosticError
from engine.files import describe_os_error, open_file, read_file

_FIELD = "data.source.path"
_MOST_TEXT = 256 << 20
_DAMAGE = (ValueError, KeyError, EOFError, IndexError, TypeError)
_DIGITS = tuple("0123456789")
_STL_CLASSES = (
    *("airplane", "bird", "car", "cat", "deer", "dog", "horse", "monkey", "ship", "truck"),
)
_STL_SIDE, _USPS_SIDE, _SEMEION_SIDE, _CIFAR_SIDE = 96, 16, 16, 32
_FER_SIDE = 48
_EMOTIONS = ("angry", "disgusted", "afraid", "happy", "sad", "surprised", "neutral")


class Portion(NamedTuple):
    """The samples of a part (None: the set has no parts): pictures (samples, H, W) or (samples, H,
    W, C) of bytes, in memory or in their file, and the class of each (int64).
    """

    part: Part | None
    images: np.ndarray | StoredArray
    labels: np.ndarray


class Resource(NamedTuple):
    """A file to download: where it is, what it is called, its MD5, the folder below the root that
    it goes to, and whether it is an archive.
    """

    urls: tuple[str, ...]
    file: str
    md5: str | None
    folder: str = ""
    is_archive: bool = True


class ArraySet(NamedTuple):
    """How a set is read and downloaded; each function takes torchvision's class and the variant
    that was chosen.
    """

    portions: Callable[[Any, str, Path], Iterator[Portion]]
    resources: Callable[[Any, str], Iterator[Resource]]
    classes: Callable[[Any, str, Path], tuple[str, ...]]


def vision_class(name: str) -> Any:
    """Return a class of ``torchvision.datasets``."""
    from torchvision import datasets

    return getattr(datasets, name)


def read_portions(name: str, root: Path, variant: str) -> tuple[list[Portion], tuple[str, ...]]:
    """Return the samples of a set in a folder, and the names of its classes.

    Raises :class:`DiagnosticError`: D245 where a file is missing, D254 where one is damaged.
    """
    cls, kind = vision_class(name), ARRAY_SETS[name]
    try:
        portions = [_checked(portion) for portion in kind.portions(cls, variant, root)]
        classes = kind.classes(cls, variant, root)
        if any(len(p.labels) and p.labels.max() >= len(classes) for p in portions):
            raise ValueError("a class without a name")
    except _MissingError as error:
        raise missing(name, root, error.file) from error
    except _DAMAGE as error:
        raise _damaged(name, root, error) from error
    except DiagnosticError as error:
        if error.problems[0].code in ("D142", "D144", "D148"):
            raise _damaged(name, root, error) from error
        raise
    except OSError as error:
        raise DiagnosticError(describe_os_error(error, root, "read")) from error
    return portions, classes


def missing(name: str, root: Path, file: str) -> DiagnosticError:
    """Return that a set is not in a folder, or not all of it: D245, or D580 where the user has to
    fetch it.
    """
    if name in BY_HAND:
        return DiagnosticError.of(
            "D580", field=_FIELD, name=name, folder=str(root), file=file, page=BY_HAND[name]
        )
    return DiagnosticError.of("D245", field=_FIELD, name=name, folder=str(root), file=file)


def _damaged(name: str, root: Path, error: Exception) -> DiagnosticError:
    return DiagnosticError.of("D254", field=_FIELD, detail=str(error), name=name, folder=str(root))


class _MissingError(Exception):
    def __init__(self, file: str) -> None:
        super().__init__(file)
        self.file = file


def _checked(portion: Portion) -> Portion:
    images, labels = portion.images, portion.labels
    count = images.shape[0] if images.shape else 0
    if images.dtype != np.uint8 or len(images.shape) not in (3, 4) or labels.ndim != 1:
        raise ValueError(f"pictures of the shape {images.shape}, classes of {labels.shape}")
    if count != len(labels) or not count or labels.min() < 0:
        raise ValueError(f"{count} pictures with {len(labels)} classes")
    return portion


def _found(root: Path, folder: str, name: str) -> Path:
    """Return a file in its folder below the root, or in the root where that is the folder itself,
    unpacked or packed.
    """
    folders = [folder, Path(folder).name, ""] if folder else [""]
    for place in folders:
        for path in (root / place / name, root / place / f"{name}.gz"):
            if path.is_file():
                return path
    raise _MissingError(f"{folder}/{name}" if folder else name)


def _idx(root: Path, folder: str, name: str) -> np.ndarray:
    return next(iter(find_arrays(_found(root, folder, name)).values())).read()


def _plain_name(url: str) -> str:
    return url.rpartition("/")[2].removesuffix(".gz")


def _mnist(cls: Any, variant: str, root: Path) -> Iterator[Portion]:
    del variant
    names = [_plain_name(name) for name, _ in cls.resources]
    for part, images, labels in (("train", *names[:2]), ("test", *names[2:4])):
        folder = f"{cls.__name__}/raw"
        yield Portion(
            cast("Part", part), _idx(root, folder, images), _whole(_idx(root, folder, labels))
        )


def _mnist_files(cls: Any, variant: str) -> Iterator[Resource]:
    del variant
    for name, md5 in cls.resources:
        urls = tuple(f"{mirror}{name}" for mirror in cls.mirrors)
        yield Resource(urls, name, md5, f"{cls.__name__}/raw")


def _qmnist(cls: Any, variant: str, root: Path) -> Iterator[Portion]:
    del variant
    for part in ("train", "test"):
        images, labels = (_plain_name(url) for url, _ in cls.resources[part])
        rows = _idx(root, "QMNIST/raw", labels)  # the class, and where a digit comes from
        yield Portion(part, _idx(root, "QMNIST/raw", images), _whole(rows[:, 0]))


def _qmnist_files(cls: Any, variant: str) -> Iterator[Resource]:
    del variant
    for part in ("train", "test"):
        for url, md5 in cls.resources[part]:
            yield Resource((url,), url.rpartition("/")[2], md5, "QMNIST/raw")


def _emnist(cls: Any, variant: str, root: Path) -> Iterator[Portion]:
    del cls
    for part in ("train", "test"):
        images, labels = (
            _found_emnist(root, f"emnist-{variant}-{part}-{kind}-ubyte")
            for kind in ("images-idx3", "labels-idx1")
        )
        yield Portion(part, images, _whole(labels))


def _found_emnist(root: Path, name: str) -> np.ndarray:
    try:
        return _idx(root, "EMNIST/raw", name)
    except _MissingError:
        return _idx(root, "EMNIST/raw/gzip", name)


def _emnist_files(cls: Any, variant: str) -> Iterator[Resource]:
    del variant
    yield Resource((cls.url,), cls.url.rpartition("/")[2], cls.md5, "EMNIST/raw")


def _cifar(cls: Any, variant: str, root: Path) -> Iterator[Portion]:
    del variant
    for part, files in (("train", cls.train_list), ("test", cls.test_list)):
        batches = [read_batch(_found(root, cls.base_folder, name)) for name, _ in files]
        data = np.concatenate([_array_of(batch, "data") for batch in batches])
        images = data.reshape(-1, 3, _CIFAR_SIDE, _CIFAR_SIDE).transpose(0, 2, 3, 1)
        labels = [
            np.asarray(batch["labels" if "labels" in batch else "fine_labels"]) for batch in batches
        ]
        yield Portion(cast("Part", part), images, _whole(np.concatenate(labels)))


def _array_of(batch: Mapping[str, object], name: str) -> np.ndarray:
    found = batch[name]
    if not isinstance(found, np.ndarray):
        raise TypeError(f"{name} is no array")
    return found


def _cifar_classes(cls: Any, variant: str, root: Path) -> tuple[str, ...]:
    del variant
    names = read_batch(_found(root, cls.base_folder, cls.meta["filename"]))[cls.meta["key"]]
    return tuple(map(str, cast("list[object]", names)))


def _packed_files(cls: Any, variant: str) -> Iterator[Resource]:
    del variant
    yield Resource((cls.url,), cls.filename, cls.tgz_md5)


def _svhn(cls: Any, variant: str, root: Path) -> Iterator[Portion]:
    del variant
    for part in ("train", "test"):
        matrices = read_matrices(_found(root, "", cls.split_list[part][1]))
        labels = _whole(matrices["y"].reshape(-1))
        labels = np.where(labels == 10, 0, labels)  # the digit 0 is class 10 in the files
        yield Portion(part, matrices["X"].transpose(3, 0, 1, 2), labels)


def _listed_files(cls: Any, variant: str) -> Iterator[Resource]:
    del variant
    for part in ("train", "test"):
        url, name, md5 = cls.split_list[part]
        yield Resource((url,), name, md5, is_archive=False)


def _stl(cls: Any, variant: str, root: Path) -> Iterator[Portion]:
    del variant
    for part, files in (("train", cls.train_list), ("test", cls.test_list)):
        images, labels = (
            np.frombuffer(read_file(_found(root, cls.base_folder, files[at][0]), 1 << 32), np.uint8)
            for at in (0, 1)
        )
        pictures = images.reshape(-1, 3, _STL_SIDE, _STL_SIDE).transpose(0, 3, 2, 1)
        yield Portion(cast("Part", part), pictures, _whole(labels) - 1)


def _usps(cls: Any, variant: str, root: Path) -> Iterator[Portion]:
    del variant
    for part in ("train", "test"):
        lines = _unpacked_text(_found(root, "", cls.split_list[part][1])).splitlines()
        rows = [line.split() for line in lines if line.strip()]
        cells = [[cell.rpartition(":")[2] for cell in row[1:]] for row in rows]
        values = np.asarray(cells, np.float32).reshape(-1, _USPS_SIDE, _USPS_SIDE)
        labels = np.asarray([float(row[0]) for row in rows])
        images = ((values + 1) / 2 * 255).astype(np.uint8)
        yield Portion(part, images, _whole(labels) - 1)


def _unpacked_text(path: Path) -> str:
    with open_file(path) as packed, bz2.BZ2File(packed) as stream:
        content = stream.read(_MOST_TEXT + 1)
    if len(content) > _MOST_TEXT:
        raise ValueError("far more text than the set has")
    return content.decode("ascii")


def _semeion(cls: Any, variant: str, root: Path) -> Iterator[Portion]:
    del variant
    text = read_file(_found(root, "", cls.filename), _MOST_TEXT).decode("ascii")
    values = np.asarray([line.split() for line in text.splitlines() if line.strip()], np.float32)
    pixels = _SEMEION_SIDE * _SEMEION_SIDE
    images = (values[:, :pixels] * 255).astype(np.uint8)
    labels = values[:, pixels : pixels + len(_DIGITS)].argmax(axis=1)
    yield Portion(None, images.reshape(-1, _SEMEION_SIDE, _SEMEION_SIDE), _whole(labels))


def _semeion_files(cls: Any, variant: str) -> Iterator[Resource]:
    del variant
    yield Resource((cls.url,), cls.filename, cls.md5_checksum, is_archive=False)


def _expressions(cls: Any, variant: str, root: Path) -> Iterator[Portion]:
    """Yield the faces of the file that has all of them, else of that of the training set; the
    public test of the challenge, which was there to choose a model by, is the validation set.
    """
    del variant
    names = [cls._RESOURCES[key][0] for key in ("fer", "icml", "train")]
    path = next((found for name in names if (found := root / "fer2013" / name).is_file()), None)
    if path is None:
        raise _MissingError(f"fer2013/{names[0]}")
    parts = {"Training": "train", "PublicTest": "validation", "PrivateTest": "test"}
    rows: dict[str, tuple[list[bytes], list[int]]] = {part: ([], []) for part in parts.values()}
    with open_file(path) as stream, io.TextIOWrapper(stream, "ascii", newline="") as text:
        for line in csv.DictReader(text):
            cells = {str(key).strip(): value for key, value in line.items()}
            images, labels = rows[parts[cells.get("Usage", "Training")]]
            images.append(bytes(map(int, cells["pixels"].split())))
            labels.append(int(cells["emotion"]))
            if len(images[-1]) != _FER_SIDE * _FER_SIDE:
                raise ValueError(f"a picture of {len(images[-1])} pixels")
    for part, (images, labels) in rows.items():
        if images:
            values = np.frombuffer(b"".join(images), np.uint8).reshape(-1, _FER_SIDE, _FER_SIDE)
            yield Portion(cast("Part", part), values, np.asarray(labels, np.int64))


def _patches(cls: Any, variant: str, root: Path) -> Iterator[Portion]:
    """Yield the parts of PCAM, whose pictures (9 GB) stay in their files."""
    del variant
    for part, split in (("train", "train"), ("validation", "val"), ("test", "test")):
        images, labels = (
            hdf5_array(_unpacked(root, "pcam", cls._FILES[split][kind][0]), name)
            for kind, name in (("images", "x"), ("targets", "y"))
        )
        kept = images.read() if is_small(prod(images.shape)) else images
        yield Portion(cast("Part", part), kept, _whole(labels.read().reshape(-1)))


def _unpacked(root: Path, folder: str, name: str) -> Path:
    path = _found(root, folder, name)
    if path.suffix == ".gz":  # of the pictures no row can be found in it
        raise _MissingError(f"{folder}/{name}")
    return path


def _whole(values: np.ndarray) -> np.ndarray:
    return values.astype(np.int64)


def _own_classes(cls: Any, variant: str, root: Path) -> tuple[str, ...]:
    del variant, root
    return tuple(cls.classes)


def _digits(cls: Any, variant: str, root: Path) -> tuple[str, ...]:
    del cls, variant, root
    return _DIGITS


_MNIST = ArraySet(_mnist, _mnist_files, _own_classes)
_CIFAR = ArraySet(_cifar, _packed_files, _cifar_classes)
ARRAY_SETS: Mapping[str, ArraySet] = {
    "MNIST": _MNIST,
    "FashionMNIST": _MNIST,
    "KMNIST": _MNIST,
    "QMNIST": ArraySet(_qmnist, _qmnist_files, _own_classes),
    "EMNIST": ArraySet(
        _emnist, _emnist_files, lambda cls, variant, _: tuple(cls.classes_split_dict[variant])
    ),
    "CIFAR10": _CIFAR,
    "CIFAR100": _CIFAR,
    "SVHN": ArraySet(_svhn, _listed_files, _digits),
    "STL10": ArraySet(_stl, _packed_files, lambda *_: _STL_CLASSES),
    "USPS": ArraySet(_usps, _listed_files, _digits),
    "SEMEION": ArraySet(_semeion, _semeion_files, _digits),
    "FER2013": ArraySet(_expressions, lambda *_: iter(()), lambda *_: _EMOTIONS),
    "PCAM": ArraySet(_patches, lambda *_: iter(()), lambda *_: ("normal", "tumor")),
}
"""By the name of torchvision's class."""

ARRAY_MARKERS: Mapping[str, str] = {
    **{name: f"{name}/raw" for name in ("MNIST", "FashionMNIST", "KMNIST", "QMNIST", "EMNIST")},
    "CIFAR10": "cifar-10-batches-py",
    "CIFAR100": "cifar-100-python",
    "SVHN": "train_32x32.mat",
    "STL10": "stl10_binary",
    "USPS": "usps.bz2",
    "SEMEION": "semeion.data",
    "FER2013": "fer2013",
    "PCAM": "pcam",
}
"""What tells, in the folder that is chosen, that a set lies there."""
