"""Source of pictures with masks: a folder of each, whose files have the same names."""

import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from typing_extensions import override

from engine.catalog.spec import Value
from engine.data.read.fit import Fit, fit_image, fit_mask
from engine.data.read.image import ColorMode, decode_image, decode_mask
from engine.data.source.file_hashes import FileHashes
from engine.data.source.fingerprint import pictures_digest
from engine.data.source.image_cache import load_index
from engine.data.source.image_check import check_index
from engine.data.source.image_folder import (
    batch_of,
    fit_param,
    folder_param,
    hashes_of,
    image_info,
    mode_param,
    read_content,
    size_param,
)
from engine.data.source.image_index import ImageIndex
from engine.data.source.image_walk import Names, check_root
from engine.data.source.parameter import int_param
from engine.data.source.source import Part, Source, Values
from engine.diagnostics import Diagnostic, DiagnosticError, Severity
from engine.spec.data import FieldInfo, Task

_IMAGES = ("images", "image", "imgs", "img", "pictures", "photos", "jpegimages")
_MASKS = ("masks", "mask", "labels", "label", "annotations", "segmentationclass", "gt")
_ENDINGS = ("", "_mask", "-mask", "_label", "_gt")
_VOID = 255  # borders without a class, as in Pascal VOC


@dataclass(frozen=True, kw_only=True)
class SegmentationFolderSource(Source):
    """Pictures and masks, read when a batch needs them.

    ``image`` is as in :class:`~engine.data.source.image_folder.ImageFolderSource`; ``mask`` has a
    class number for each pixel, int64 of shape (height, width), or (-1, -1) without a size.
    ``rows`` are the numbers of the pictures that have a mask and of their masks, of shape
    (samples, 2). With two classes every value but zero is the second.
    """

    images: ImageIndex
    masks: ImageIndex
    rows: NDArray[np.int64]
    unmatched: Names
    classes: int
    mode: ColorMode
    size: tuple[int, int] | None
    fit: Fit
    image_hashes: FileHashes
    mask_hashes: FileHashes
    task: Task = "classification"

    @cached_property
    def _infos(self) -> tuple[FieldInfo, ...]:
        mask = FieldInfo(
            name="mask",
            role="target",
            kind="mask",
            shape=self.size or (-1, -1),
            dtype="int64",
            classes=tuple(str(number) for number in range(self.classes)),
        )
        return image_info(self.mode, self.size), mask

    @property
    @override
    def infos(self) -> tuple[FieldInfo, ...]:
        return self._infos

    @property
    @override
    def samples(self) -> int:
        return len(self.rows)

    @override
    def read(self, indices: Sequence[int]) -> dict[str, Values]:
        pairs = [self._pair(index) for index in indices]
        masks = [mask for _, mask in pairs]
        if not masks:
            height, width = self.size or (0, 0)
            stacked: Values = torch.empty(0, height, width, dtype=torch.int64)
        else:
            is_one_size = len({mask.shape for mask in masks}) == 1
            stacked = torch.stack(masks) if is_one_size else masks
        return {"image": batch_of([image for image, _ in pairs], self.infos[0]), "mask": stacked}

    @override
    def text(self, name: str, index: int) -> str:
        if name == "image":
            return self.images.name(int(self.rows[index, 0]))
        return self.masks.name(int(self.rows[index, 1])) if name == "mask" else ""

    @override
    def sample_name(self, index: int) -> str:
        return self.images.written_name(int(self.rows[index, 0]))

    @override
    def find_samples(self, names: Collection[str]) -> dict[str, int]:
        rows = self.images.find(names)
        positions = {int(row): at for at, row in enumerate(self.rows[:, 0])}
        return {name: positions[row] for name, row in rows.items() if row in positions}

    @override
    def file(self, name: str, index: int) -> Path | None:
        if name == "image":
            return self.images.path(int(self.rows[index, 0]))
        return self.masks.path(int(self.rows[index, 1])) if name == "mask" else None

    @override
    def keys(self, indices: Sequence[int]) -> list[bytes]:
        rows = self.rows[list(indices)]
        images = self.image_hashes.of(rows[:, 0].tolist())
        masks = self.mask_hashes.of(rows[:, 1].tolist())
        return [image + mask for image, mask in zip(images, masks, strict=True)]

    @override
    def content_digest(self) -> str:
        return pictures_digest(self.images) + pictures_digest(self.masks)

    @override
    def input_keys(self, indices: Sequence[int]) -> list[bytes]:
        return self.image_hashes.of(self.rows[list(indices), 0].tolist())

    @override
    def is_current(self) -> bool:
        return self.images.is_current() and self.masks.is_current()

    @override
    def check(self, indices: Mapping[Part, Tensor]) -> tuple[Diagnostic, ...]:
        problems = check_index(self.images, Names(), torch.empty(0), indices)
        if not self.unmatched:
            return problems
        unmatched = Diagnostic.of(
            "D076",
            severity=Severity.WARNING,
            field="data.source.masks",
            count=self.unmatched.count,
            names=self.unmatched.text,
        )
        return (*problems, unmatched)

    def _pair(self, index: int) -> tuple[Tensor, Tensor]:
        image_at, mask_at = self.rows[index].tolist()
        file = str(self.images.path(image_at))
        image = decode_image(read_content(self.images, image_at), file, self.mode)
        file = str(self.masks.path(mask_at))
        mask = decode_mask(read_content(self.masks, mask_at), file)
        if mask.shape != image.shape[1:]:
            raise DiagnosticError.of(
                "D077", file=file, mask=_size_text(mask), picture=_size_text(image)
            )
        mask = self._class_numbers(mask, file)
        if self.size is None:
            return image, mask
        fitted = fit_image(image, *self.size, self.fit)
        return fitted, fit_mask(mask, *self.size, self.fit, outside=0)

    def _class_numbers(self, mask: Tensor, file: str) -> Tensor:
        """Return the classes of values. Raises :class:`DiagnosticError` D078 for others."""
        if self.classes == 2:
            return (mask != 0).to(torch.int64)
        if self.classes <= _VOID:
            mask = mask.where(mask != _VOID, 0)
        wrong = mask[(mask < 0) | (mask >= self.classes)]
        if len(wrong):
            raise DiagnosticError.of(
                "D078",
                field="data.source.classes",
                file=file,
                value=int(wrong[0]),
                classes=self.classes,
                highest=self.classes - 1,
            )
        return mask


def load_segmentation_folder(params: Mapping[str, Value]) -> SegmentationFolderSource:
    """Return the pictures with masks in the folder ``path``; ``masks`` is the folder of the masks,
    empty for the one that is called so.

    Raises :class:`DiagnosticError`: D079 where a folder of pictures or of masks is missing, D051
    where no picture has a mask, and what indexing raises.
    """
    root = folder_param(params)
    check_root(root)
    chosen = str(params.get("masks") or "")
    named = list(_folders(root))
    image_folder = _named(named, _IMAGES)
    mask_folder = Path(chosen).expanduser() if chosen else _named(named, _MASKS)
    if chosen and image_folder is None:
        image_folder = root
    if image_folder is None or mask_folder is None:
        raise DiagnosticError.of("D079", field="data.source.path", folder=str(root))
    images = load_index(image_folder, is_plain=True)
    masks = load_index(mask_folder, is_plain=True)
    rows, unmatched = _matched(images, masks)
    if not len(rows):
        raise DiagnosticError.of("D079", field="data.source.path", folder=str(root))
    return SegmentationFolderSource(
        images=images,
        masks=masks,
        rows=rows,
        unmatched=unmatched,
        classes=int_param(params, "classes"),
        mode=mode_param(params),
        size=size_param(params),
        fit=fit_param(params),
        image_hashes=hashes_of(images),
        mask_hashes=hashes_of(masks),
    )


def _matched(images: ImageIndex, masks: ImageIndex) -> tuple[NDArray[np.int64], Names]:
    """Return the pairs of equal names (but for their endings), and pictures without a mask."""
    numbers = {_stem(masks.name(at)): at for at in range(len(masks))}
    rows: list[tuple[int, int]] = []
    unmatched = Names()
    for at in range(len(images)):
        stem = _stem(images.name(at))
        keys = (f"{stem}{ending}" for ending in _ENDINGS)
        number = next((numbers[key] for key in keys if key in numbers), None)
        if number is None:
            unmatched = unmatched.plus(images.name(at))
        else:
            rows.append((at, number))
    return np.array(rows, np.int64).reshape(-1, 2), unmatched


def _stem(name: str) -> str:
    return name.rpartition(".")[0]


def _folders(root: Path) -> Iterator[Path]:
    with os.scandir(root) as entries:
        for entry in sorted(entries, key=lambda entry: entry.name):
            if entry.is_dir():
                yield Path(entry.path)


def _named(folders: Sequence[Path], names: Sequence[str]) -> Path | None:
    """Return the folder with the first of some names that there is."""
    by_name = {folder.name.lower(): folder for folder in reversed(folders)}
    return next((by_name[name] for name in names if name in by_name), None)


def _size_text(values: Tensor) -> str:
    return f"{values.shape[-1]} × {values.shape[-2]}"
