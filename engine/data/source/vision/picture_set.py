"""Sets of torchvision that are files of pictures: torchvision's classes say which picture is in
which part and class, by introspection of what they make; nothing is decoded.
"""

import inspect
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.data.source.image_index import FolderReport, ImageIndex, IndexHead
from engine.data.source.source import PARTS, Part
from engine.data.source.vision.array_set import missing, vision_class
from engine.diagnostics import DiagnosticError

_FIELD = "data.source.path"


class PictureSet(NamedTuple):
    """How torchvision's class is called for each part (None: the set has no parts). ``marker`` is
    the folder in which it looks, ``variant`` the argument that the chosen variant goes to.
    """

    marker: str
    parts: tuple[tuple[Part | None, Mapping[str, object]], ...]
    variant: str = ""

    def arguments(self, chosen: str) -> Iterator[tuple[Part | None, dict[str, object]]]:
        """Yield each part with its arguments."""
        more = {self.variant: chosen} if self.variant else {}
        for part, arguments in self.parts:
            yield part, {**arguments, **more}


def _split(**names: str) -> tuple[tuple[Part, Mapping[str, object]], ...]:
    return tuple((part, {"split": names[part]}) for part in PARTS if part in names)


_WHOLE: tuple[tuple[Part | None, Mapping[str, object]], ...] = ((None, {}),)
_THREE = _split(train="train", validation="val", test="test")
_TWO = _split(train="train", test="test")
PICTURE_SETS: Mapping[str, PictureSet] = {
    "Country211": PictureSet("country211", _split(train="train", validation="valid", test="test")),
    "DTD": PictureSet("dtd", _THREE),
    "EuroSAT": PictureSet("eurosat", _WHOLE),
    "FGVCAircraft": PictureSet("fgvc-aircraft-2013b", _THREE),
    "Flowers102": PictureSet("flowers-102", _THREE),
    "Food101": PictureSet("food-101", _TWO),
    "GTSRB": PictureSet("gtsrb", _TWO),
    "Imagenette": PictureSet(
        "imagenette2", _split(train="train", validation="val"), variant="size"
    ),
    "OxfordIIITPet": PictureSet("oxford-iiit-pet", _split(train="trainval", test="test")),
    "RenderedSST2": PictureSet("rendered-sst2", _THREE),
    "SUN397": PictureSet("SUN397", _WHOLE),
}
"""By the name of torchvision's class."""

_Row = tuple[str, int, int]
"""A picture: its path below the root, its class, and the index of its part (-1: none)."""


def picture_index(name: str, root: Path, variant: str) -> ImageIndex:
    """Return the pictures of a set in a folder.

    Raises :class:`DiagnosticError`: D245 where the set is not there, D254 where its lists are
    damaged or name pictures outside of the folder.
    """
    described = PICTURE_SETS[name]
    rows: list[_Row] = []
    classes: tuple[str, ...] = ()
    root = Path(os.path.abspath(root))  # noqa: PTH100 - links stay as the user wrote them
    for part, arguments in described.arguments(variant):
        number = -1 if part is None else PARTS.index(part)
        dataset = opened(name, root, arguments)
        try:
            found = [(_below(root, path), int(label), number) for path, label in _rows(dataset)]
            classes = classes or _classes(dataset, found)
            if not found or any(not 0 <= label < len(classes) for _, label, _ in found):
                raise ValueError("classes that are not numbered from 0")
        except (ValueError, TypeError, AttributeError, LookupError) as error:
            raise _damaged(name, root, error) from error
        rows += found
    return _index(root, rows, classes, has_parts=len(described.parts) > 1)


def opened(name: str, root: Path, arguments: Mapping[str, object], **more: object) -> Any:
    """Return what torchvision's class makes of a folder. Raises as :func:`picture_index` does."""
    cls = vision_class(name)
    loads = {"loader": _itself} if "loader" in inspect.signature(cls).parameters else {}
    try:
        return cls(str(root), **arguments, **loads, **more)
    except DiagnosticError:
        raise
    except (RuntimeError, FileNotFoundError) as error:
        raise missing(name, root, PICTURE_SETS[name].marker) from error
    except Exception as error:  # of a reader of any text
        raise _damaged(name, root, error) from error


def _damaged(name: str, root: Path, error: Exception) -> DiagnosticError:
    detail = f"{type(error).__name__}: {error}"
    return DiagnosticError.of("D254", field=_FIELD, detail=detail, name=name, folder=str(root))


def _itself(path: object) -> object:
    return path


def _rows(dataset: Any) -> Iterator[tuple[object, Any]]:
    """Yield path and class of each picture: what an item is where its picture is not loaded, else
    the list that the class keeps.
    """
    if hasattr(dataset, "loader"):
        yield from (dataset[at] for at in range(len(dataset)))
    elif hasattr(dataset, "_samples"):
        yield from dataset._samples  # noqa: SLF001 - it has no other door
    else:
        yield from zip(dataset._images, dataset._labels, strict=True)  # noqa: SLF001


def _below(root: Path, path: object) -> str:
    """Return a path below the root. Raises ``ValueError`` for one outside of it."""
    below = os.path.relpath(str(path), root).replace(os.sep, "/")
    if below.startswith(("../", "/")) or "\x00" in below:
        raise ValueError(f"a picture outside of the folder: {below[:200]}")
    return below


def _classes(dataset: Any, rows: Sequence[_Row]) -> tuple[str, ...]:
    """Return the names of the classes: those that torchvision gives them, else their numbers."""
    names = getattr(dataset, "classes", None)
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
    )
    return ImageIndex(head, arrays)


def _time_of(folder: Path) -> int:
    try:
        return folder.stat().st_mtime_ns
    except OSError:
        return -1  # a picture in it is told when it is read
