"""Source of pictures with masks, whose files have the same names."""

import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import torch
from torch import Tensor
from typing_extensions import override

from engine.catalog.spec import Value
from engine.data.read.fit import Fit, fit_image, fit_mask
from engine.data.read.image import ColorMode, decode_image
from engine.data.read.mask_form import MaskClasses
from engine.data.read.picture_form import PictureForm
from engine.data.source.field import mask_info
from engine.data.source.file_folder import folder_param
from engine.data.source.file_hashes import FileHashes
from engine.data.source.fingerprint import pictures_digest
from engine.data.source.identity import Identities, text_identities
from engine.data.source.image_cache import load_index
from engine.data.source.image_check import check_index, check_sets, counted
from engine.data.source.image_folder import (
    batch_of,
    fit_param,
    hashes_of,
    image_info,
    mode_param,
    read_content,
    size_param,
)
from engine.data.source.image_index import ImageIndex
from engine.data.source.image_walk import Names, check_root
from engine.data.source.mask_classes import (
    COLOR_FILES,
    NAME_FILES,
    mask_classes,
    require_size_of_picture,
)
from engine.data.source.mask_pairs import (
    IMAGE_FOLDERS,
    MASK_FOLDERS,
    Pairs,
    listed_parts,
    pair_folder,
    pair_folders,
)
from engine.data.source.source import Part, Source, Values, stacked
from engine.diagnostics import Diagnostic, DiagnosticError, Severity
from engine.files import is_folder_entry
from engine.spec.data import IGNORED, FieldInfo, Task


@dataclass(frozen=True, kw_only=True)
class SegmentationFolderSource(Source):
    """Pictures and masks, read when a batch needs them.

    ``image`` is as in :class:`~engine.data.source.image_folder.ImageFolderSource`; ``mask`` has a
    class number for each pixel, int64 of shape (height, width), or (-1, -1) without a size;
    :data:`~engine.spec.data.IGNORED` for pixels without a class, also those beside the picture.
    """

    images: ImageIndex
    masks: ImageIndex
    pairs: Pairs
    classes: MaskClasses
    mode: ColorMode
    size: tuple[int, int] | None
    fit: Fit
    image_hashes: FileHashes
    mask_hashes: FileHashes
    task: Task = "classification"

    @cached_property
    def _index_versions(self) -> tuple[str, str]:
        return self.images.version(), self.masks.version()

    @cached_property
    def _infos(self) -> tuple[FieldInfo, ...]:
        mask = mask_info(self.size or (-1, -1), self.classes.names)
        return image_info(self.mode, self.size), mask

    @property
    @override
    def infos(self) -> tuple[FieldInfo, ...]:
        return self._infos

    @property
    @override
    def samples(self) -> int:
        return len(self.pairs.rows)

    @override
    def read(self, indices: Sequence[int]) -> dict[str, Values]:
        pairs = [self._pair(index) for index in indices]
        image, mask = self.infos
        return {
            "image": batch_of([picture for picture, _ in pairs], image),
            "mask": stacked([numbers for _, numbers in pairs], mask),
        }

    @override
    def read_field(self, name: str, indices: Sequence[int]) -> Values:
        if name != "mask":
            return super().read_field(name, indices)
        rows = self.pairs.rows[list(indices), 1].tolist()
        return stacked([self._fitted(self._mask(at)) for at in rows], self.infos[1])

    @override
    def text(self, name: str, index: int) -> str:
        if name == "image":
            return self.images.name(int(self.pairs.rows[index, 0]))
        return self.masks.name(int(self.pairs.rows[index, 1])) if name == "mask" else ""

    @override
    def sample_names(self, indices: Sequence[int]) -> list[str]:
        return [self.images.written_name(row) for row in self.pairs.rows[list(indices), 0].tolist()]

    @override
    def identities(self) -> Identities:
        return text_identities(self.sample_names(range(self.samples)))

    @override
    def find_samples(self, names: Collection[str]) -> dict[str, int]:
        rows = self.images.find(names)
        positions = {int(row): at for at, row in enumerate(self.pairs.rows[:, 0])}
        return {name: positions[row] for name, row in rows.items() if row in positions}

    @override
    def file(self, name: str, index: int) -> Path | None:
        if name == "image":
            return self.images.path(int(self.pairs.rows[index, 0]))
        return self.masks.path(int(self.pairs.rows[index, 1])) if name == "mask" else None

    @override
    def file_form(self, name: str) -> PictureForm | None:
        if name != "image":
            return None
        return PictureForm(mode=self.mode, size=self.size, fit=self.fit, is_reduced=False)

    @override
    def keys(self, indices: Sequence[int]) -> list[bytes]:
        rows = self.pairs.rows[list(indices)]
        images = self.image_hashes.of(rows[:, 0].tolist())
        masks = self.mask_hashes.of(rows[:, 1].tolist())
        return [image + mask for image, mask in zip(images, masks, strict=True)]

    @override
    def content_digest(self) -> str:
        return pictures_digest(self.images) + pictures_digest(self.masks)

    @override
    def input_keys(self, indices: Sequence[int]) -> list[bytes]:
        return self.image_hashes.of(self.pairs.rows[list(indices), 0].tolist())

    @override
    def given_parts(self) -> Tensor | None:
        return None if self.pairs.parts is None else torch.from_numpy(self.pairs.parts)

    @override
    def is_current(self) -> bool:
        return self.images.is_current() and self.masks.is_current()

    @override
    def version(self) -> str:
        return repr((self._index_versions, self.mode, self.size, self.fit, self.classes))

    @override
    def check(self, indices: Mapping[Part, Tensor]) -> tuple[Diagnostic, ...]:
        found = check_index(self.images, Names(), torch.empty(0), indices)
        odd = self.images.head.report.odd
        known = (*NAME_FILES, *COLOR_FILES)
        is_known = odd.count == len(odd.shown) and all(name in known for name in odd.shown)
        alone = (
            ("D076", "data.source.path", self.pairs.pictures),
            ("D235", "data.source.masks", self.pairs.masks),
        )
        return (
            *(problem for problem in found if problem.code != "D060" or not is_known),
            *check_sets(self.images, MASK_FOLDERS),
            *(
                counted(code, Severity.WARNING, names, field)
                for code, field, names in alone
                if names
            ),
        )

    def _pair(self, index: int) -> tuple[Tensor, Tensor]:
        image_at, mask_at = self.pairs.rows[index].tolist()
        file = str(self.images.path(image_at))
        image = decode_image(read_content(self.images, image_at), file, self.mode)
        mask = self._mask(mask_at)
        require_size_of_picture(self.masks.path(mask_at), mask.shape, image.shape[1:])
        fitted = image if self.size is None else fit_image(image, *self.size, self.fit)
        return fitted, self._fitted(mask)

    def _mask(self, at: int) -> Tensor:
        """Return the classes in a file of masks, as large as it is."""
        return self.classes.read(read_content(self.masks, at), str(self.masks.path(at)))

    def _fitted(self, mask: Tensor) -> Tensor:
        if self.size is None:
            return mask
        return fit_mask(mask, *self.size, self.fit, outside=IGNORED)


def load_segmentation_folder(params: Mapping[str, Value]) -> SegmentationFolderSource:
    """Return the pictures with masks in the folder ``path``, paired by their names
    (:mod:`engine.data.source.mask_pairs`); ``masks`` is the folder of the masks where it lies
    elsewhere.

    Raises :class:`DiagnosticError`: D079 where no picture has a mask, what the classes raise
    (:func:`~engine.data.source.mask_classes.mask_classes`), and what indexing does.
    """
    root = folder_param(params)
    check_root(root)
    classes = mask_classes(params)
    images, masks, pairs = _pairs(root, str(params.get("masks") or "").strip())
    if not len(pairs.rows):
        raise DiagnosticError.of("D079", field="data.source.path", folder=str(root))
    return SegmentationFolderSource(
        images=images,
        masks=masks,
        pairs=pairs,
        classes=classes,
        mode=mode_param(params),
        size=size_param(params),
        fit=fit_param(params),
        image_hashes=hashes_of(images),
        mask_hashes=hashes_of(masks),
    )


def _pairs(root: Path, chosen: str) -> tuple[ImageIndex, ImageIndex, Pairs]:
    """Return pictures, masks and which belong together: in a folder, or in it and one of masks."""
    if not chosen:
        index = load_index(root, is_plain=True)
        pairs = pair_folder(_names(index))
        if pairs.parts is None:
            pictures = [index.name(at) for at in pairs.rows[:, 0].tolist()]
            pairs = pairs._replace(parts=listed_parts(root, pictures))
        return index, index, pairs
    images = load_index(_picture_folder(root), is_plain=True)
    masks = load_index(Path(chosen).expanduser(), is_plain=True)
    return images, masks, pair_folders(_names(images), _names(masks))


def _names(index: ImageIndex) -> list[str]:
    return [index.name(at) for at in range(len(index))]


def _picture_folder(root: Path) -> Path:
    """Return the folder in a folder that is called so, else itself."""
    with os.scandir(root) as entries:
        names = sorted(entry.name for entry in entries if is_folder_entry(entry))
    return next((root / name for name in names if name.lower() in IMAGE_FOLDERS), root)
