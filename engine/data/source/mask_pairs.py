"""Pairing of pictures and masks in a folder, by the names of their folders and files.

``images/1.jpg`` belongs to ``masks/1.png``, ``train/images/1.jpg`` to ``train/masks/1.png``,
``images/train/1.jpg`` to ``masks/train/1.png``, ``train/1.png`` to ``trainannot/1.png`` and
``1.tif`` to ``1_mask.tif``. A folder that is called as a part of the data says to which part its
pictures belong.
"""

from collections.abc import Iterable, Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.data.source.image_walk import PART_NUMBERS, Names, names_of
from engine.files import read_file

IMAGE_FOLDERS = frozenset(
    ("images", "image", "imgs", "img", "pictures", "photos", "jpegimages", "inputs", "input")
)
"""What folders of pictures are called, in small letters."""

MASK_FOLDERS = frozenset(
    ("masks", "mask", "labels", "label", "annotations", "annots", "segmentationclass", "gt",
     "groundtruth", "ground_truth", "targets")
)  # fmt: skip
"""What folders of masks are called, in small letters."""

_IMAGE_ENDINGS = ("_images", "_image", "_imgs", "_img")
_MASK_ENDINGS = ("_masks", "_mask", "_labels", "_label", "_annot", "annot", "_gt")
_ENDINGS = ("", "_mask", "-mask", "_label", "-label", "_gt", "_seg")

_MOST_LISTED = 64 << 20  # bytes
_MOST_BASES = 64  # folders with lists


class Pairs(NamedTuple):
    """``rows`` are the numbers of the pictures that have a mask and of their masks, of shape
    (samples, 2); ``parts`` an index into the parts for each, -1 for none, None where the folders
    name no parts. ``pictures`` and ``masks`` are those without a partner.
    """

    rows: NDArray[np.int64]
    parts: NDArray[np.int64] | None
    pictures: Names
    masks: Names


def pair_folder(names: Sequence[str]) -> Pairs:
    """Pair the files of one folder, named by their paths in it."""
    roles = [_role(name) for name in names]
    images = {key: at for at, (is_mask, key) in enumerate(roles) if is_mask is False}
    masks = {key: at for at, (is_mask, key) in enumerate(roles) if is_mask}
    if not images:
        others = {key: at for at, (is_mask, key) in enumerate(roles) if is_mask is None}
        beside = {key: at for key, at in others.items() if _is_mask_of(key, others)}
        masks |= beside
        images = {key: at for key, at in others.items() if key not in beside}
    return _paired(images, masks, names, names)


def mask_names(names: Sequence[str]) -> set[str]:
    """Return the files of one folder, named by their paths in it, that :func:`pair_folder` takes as
    masks, also those without a picture.
    """
    roles = {name: _role(name) for name in names}
    masks = {name for name, (is_mask, _) in roles.items() if is_mask}
    if any(is_mask is False for is_mask, _ in roles.values()):
        return masks
    others = {key: 0 for is_mask, key in roles.values() if is_mask is None}
    beside = (
        name
        for name, (is_mask, key) in roles.items()
        if is_mask is None and _is_mask_of(key, others)
    )
    return masks | {*beside}


def pair_folders(images: Sequence[str], masks: Sequence[str]) -> Pairs:
    """Pair the files of a folder of pictures and of one of masks, named by their paths in these."""
    return _paired(_numbered(images), _numbered(masks), images, masks)


def listed_parts(
    root: Path, pictures: Sequence[str], task: str = "Segmentation"
) -> NDArray[np.int64] | None:
    """Return the part of each of some pictures, named by their paths, by the lists that Pascal VOC
    has for a task, in the folder or in that of a year in it: -1 for one in no list, None without
    lists.
    """
    bases = [name.rpartition("/")[0].rpartition("/")[0] for name in pictures]
    known = {base: _listed(root / base, task) for base in islice(dict.fromkeys(bases), _MOST_BASES)}
    whole = known.get("") or _listed(root, task)
    if not whole and not any(known.values()):
        return None
    stems = (_stem(name.rpartition("/")[2]) for name in pictures)
    parts = [
        (known.get(base) or whole).get(stem, -1) for base, stem in zip(bases, stems, strict=True)
    ]
    return np.array(parts, np.int64)


def _listed(folder: Path, task: str) -> dict[str, int]:
    """Return the part of each picture in the lists of a folder, by its name without the ending."""
    known: dict[str, int] = {}
    for word, number in PART_NUMBERS.items():
        try:
            text = read_file(folder / "ImageSets" / task / f"{word}.txt", _MOST_LISTED)
        except OSError:
            continue
        names = text.decode("utf-8", "replace")
        known |= dict.fromkeys((*names.split(), *map(str.strip, names.splitlines())), number)
    return known


def has_masks(names: Iterable[str]) -> bool:
    """Return whether there are pictures with masks among the files of a folder."""
    return len(pair_folder(list(names)).rows) > 0


def _paired(
    images: dict[str, int],
    masks: dict[str, int],
    image_names: Sequence[str],
    mask_names: Sequence[str],
) -> Pairs:
    rows: list[tuple[int, int]] = []
    parts: list[int] = []
    alone = Names()
    for key, at in images.items():
        number = next((masks[f"{key}{end}"] for end in _ENDINGS if f"{key}{end}" in masks), None)
        if number is None:
            alone = alone.plus(image_names[at])
        else:
            rows.append((at, number))
            parts.append(_part(key))
    used = {mask for _, mask in rows}
    spare = names_of(mask_names[number] for number in masks.values() if number not in used)
    given = np.array(parts, np.int64)
    has_parts = 0 in parts and max(parts, default=0) > 0
    table = np.array(rows, np.int64).reshape(-1, 2)
    return Pairs(table, given if has_parts else None, alone, spare)


def _role(name: str) -> tuple[bool | None, str]:
    """Return whether a file is a mask by its folders (None: they do not say), and what it shares
    with its partner: the path without the folder that says so and without the ending.
    """
    *folders, file = name.split("/")
    stem = _stem(file)
    for at in reversed(range(len(folders))):
        rest = [*folders[:at], *folders[at + 1 :], stem]
        word = folders[at].lower()
        if word in MASK_FOLDERS or word in IMAGE_FOLDERS:
            return word in MASK_FOLDERS, "/".join(rest)
        for is_mask, endings in ((True, _MASK_ENDINGS), (False, _IMAGE_ENDINGS)):
            ending = next((end for end in endings if word.endswith(end) and word != end), "")
            if ending:
                rest.insert(at, folders[at][: -len(ending)])
                return is_mask, "/".join(rest)
    return None, "/".join((*folders, stem))


def _is_mask_of(key: str, others: dict[str, int]) -> bool:
    return any(key.endswith(end) and key[: -len(end)] in others for end in _ENDINGS if end)


def _numbered(names: Sequence[str]) -> dict[str, int]:
    return {_stem(name): at for at, name in enumerate(names)}


def _part(key: str) -> int:
    words = (word.lower() for word in key.split("/")[:-1])
    return next((PART_NUMBERS[word] for word in words if word in PART_NUMBERS), -1)


def _stem(name: str) -> str:
    return name.rpartition(".")[0]
