"""Source of pictures with boxes, which files of a common format hold."""

import hashlib
import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import torch
from torch import Tensor
from typing_extensions import override

from engine.catalog.spec import Value
from engine.data.read.fit import Fit, fit_boxes, fit_image
from engine.data.read.image import ColorMode, decode_image
from engine.data.read.picture_form import PictureForm
from engine.data.source.box_table import BoxTable
from engine.data.source.boxes.check import check_boxed_pictures, check_boxes
from engine.data.source.boxes.files import BoxFiles, BoxFormat, box_files
from engine.data.source.boxes.heads import PictureSizes
from engine.data.source.boxes.masks import MaskTable
from engine.data.source.boxes.pictures import BOX_FOLDERS, BoxedPictures, assign_boxes
from engine.data.source.boxes.voc import VOC_ORIGINS, VocOrigin
from engine.data.source.field import box_infos, box_mask_info
from engine.data.source.file_hashes import FileHashes
from engine.data.source.fingerprint import pictures_digest
from engine.data.source.identity import Identities, text_identities
from engine.data.source.image_cache import load_index
from engine.data.source.image_check import check_index, check_sets
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
from engine.data.source.mask_pairs import listed_parts
from engine.data.source.parameter import text_param
from engine.data.source.source import Part, Source, Values, no_values
from engine.data.source.version import FileVersion, file_version
from engine.diagnostics import Diagnostic, DiagnosticError
from engine.spec.data import FieldInfo, Task

_MOST_WATCHED = 4096  # files of boxes whose times are looked at


@dataclass(frozen=True, kw_only=True)
class DetectionFolderSource(Source):
    """Pictures with boxes, read when a batch needs them.

    ``image`` is as in :class:`~engine.data.source.image_folder.ImageFolderSource`; ``boxes`` and
    ``labels`` are as in :func:`~engine.data.source.field.box_infos`, moved with the picture where
    it gets another size; ``masks`` as in :func:`~engine.data.source.field.box_mask_info`, where
    they are asked for.
    """

    images: ImageIndex
    pictures: BoxedPictures
    classes: tuple[str, ...]
    files: BoxFiles
    stamps: Mapping[Path, FileVersion]
    mode: ColorMode
    size: tuple[int, int] | None
    fit: Fit
    hashes: FileHashes
    masks: MaskTable | None = None
    task: Task = "classification"

    @property
    def format(self) -> BoxFormat:
        """The format of the files of boxes."""
        return self.files.format

    @property
    def has_more_outlines(self) -> bool:
        """Whether the files have outlines of objects that were not asked for."""
        return self.masks is None and self.files.show_outlines()

    @cached_property
    def _infos(self) -> tuple[FieldInfo, ...]:
        image, boxes = image_info(self.mode, self.size), box_infos(self.classes)
        masks = () if self.masks is None else (box_mask_info(image.shape[1:]),)
        return image, *boxes, *masks

    @property
    @override
    def infos(self) -> tuple[FieldInfo, ...]:
        return self._infos

    @property
    @override
    def samples(self) -> int:
        return len(self.pictures.rows)

    @override
    def boxes(self) -> BoxTable:
        return self.pictures.table

    @override
    def read(self, indices: Sequence[int]) -> dict[str, Values]:
        images: list[Tensor] = []
        masks: list[Tensor] = []
        values = self.pictures.table.read(indices)
        for at, index in enumerate(indices):
            image = self._image(index)
            size = self._size(index) if self.size is None else self.size
            is_left = torch.ones(len(values["labels"][at]), dtype=torch.bool)
            if self.size is not None:
                moved, is_left = fit_boxes(values["boxes"][at], self._size(index), *size, self.fit)
                values["boxes"][at], values["labels"][at] = moved, values["labels"][at][is_left]
                image = fit_image(image, *size, self.fit)
            if self.masks is not None:
                file = self.images.path(self._row(index))
                masks.append(self.masks.read(index, is_left, size, self.fit, file))
            images.append(image)
        if self.masks is not None:
            values["masks"] = masks or no_values(self._infos[-1])
        return {"image": batch_of(images, self._infos[0]), **values}

    @override
    def text(self, name: str, index: int) -> str:
        return self.images.name(self._row(index)) if name == "image" else ""

    @override
    def sample_names(self, indices: Sequence[int]) -> list[str]:
        return [self.images.written_name(self._row(index)) for index in indices]

    @override
    def identities(self) -> Identities:
        return text_identities(self.sample_names(range(self.samples)))

    @override
    def find_samples(self, names: Collection[str]) -> dict[str, int]:
        rows = self.images.find(names)
        positions = {row: at for at, row in enumerate(self.pictures.rows.tolist())}
        return {name: positions[row] for name, row in rows.items() if row in positions}

    @override
    def file(self, name: str, index: int) -> Path | None:
        return self.images.path(self._row(index)) if name == "image" else None

    @override
    def file_form(self, name: str) -> PictureForm | None:
        if name != "image":
            return None
        return PictureForm(mode=self.mode, size=self.size, fit=self.fit, is_reduced=False)

    @override
    def keys(self, indices: Sequence[int]) -> list[bytes]:
        table = self.pictures.table
        images = self.input_keys(indices)
        keys = [image + table.key(at) for image, at in zip(images, indices, strict=True)]
        if self.masks is None:
            return keys
        return [key + self.masks.key(at) for key, at in zip(keys, indices, strict=True)]

    @override
    def input_keys(self, indices: Sequence[int]) -> list[bytes]:
        return self.hashes.of([self._row(index) for index in indices])

    @override
    def given_parts(self) -> Tensor | None:
        parts = self.pictures.parts
        return None if parts is None else torch.from_numpy(parts)

    @override
    def content_digest(self) -> str:
        return pictures_digest(self.images) + self._boxes_version

    @override
    def is_current(self) -> bool:
        is_same = all(file_version(file) == stamp for file, stamp in self.stamps.items())
        return is_same and self.images.is_current()

    @override
    def version(self) -> str:
        return repr((self._images_version, self._boxes_version, self.mode, self.size, self.fit))

    @override
    def check(self, indices: Mapping[Part, Tensor]) -> tuple[Diagnostic, ...]:
        found = check_index(self.images, Names(), torch.empty(0), indices)
        return (
            *(problem for problem in found if problem.code != "D060"),  # the files of boxes
            *check_sets(self.images, BOX_FOLDERS),
            *check_boxed_pictures(self.pictures.report),
            *check_boxes(self.pictures.table, self.classes, indices),
        )

    @cached_property
    def _images_version(self) -> str:
        return self.images.version()

    @cached_property
    def _boxes_version(self) -> str:
        digest = hashlib.blake2b(repr(self.classes).encode("utf-8", "replace"), digest_size=16)
        table, rows = self.pictures.table, torch.from_numpy(self.pictures.rows)
        for values in (rows, table.boxes, table.labels, table.starts):
            digest.update(values.numpy().tobytes())
        if self.masks is not None:
            for index in range(self.samples):
                digest.update(self.masks.key(index))
        return digest.hexdigest()

    def _row(self, index: int) -> int:
        return int(self.pictures.rows[index])

    def _size(self, index: int) -> tuple[int, int]:
        height, width = self.pictures.table.sizes[index].tolist()
        return height, width

    def _image(self, index: int) -> Tensor:
        """Return a picture of the size that its boxes were drawn on. Raises
        :class:`DiagnosticError` D296 for one of another.
        """
        row = self._row(index)
        file = str(self.images.path(row))
        image = decode_image(read_content(self.images, row), file, self.mode)
        height, width = self._size(index)
        if image.shape[1:] != (height, width):
            raise DiagnosticError.of(
                "D296",
                file=file,
                picture=f"{image.shape[2]} × {image.shape[1]}",
                boxes=f"{width} × {height}",
            )
        return image


def load_detection_folder(params: Mapping[str, Value]) -> DetectionFolderSource:
    """Return the pictures in the folder ``path`` with their boxes; ``boxes`` is the file or folder
    that holds these, empty for those in the folder.

    Raises :class:`DiagnosticError`: D287 where there are no boxes, D293 where none of them is of a
    picture in the folder, what the reader of their format says, and what indexing does.
    """
    root = Path(os.path.abspath(folder_param(params)))  # noqa: PTH100 - links stay as they are
    check_root(root)
    chosen = text_param(params, "boxes")
    files = box_files(Path(chosen).expanduser() if chosen else root, root)
    if files is None:
        raise DiagnosticError.of("D287", field="data.source.boxes", folder=chosen or str(root))
    images = load_index(root, is_plain=True)
    stamps = {file: file_version(file) for file in _watched(files)}
    found = files.read(_origin(params), has_outlines=bool(params.get("masks")))
    names = [images.name(at) for at in range(len(images))]
    lists = listed_parts(root, names, "Main") if files.format == "voc" else None
    sizes = PictureSizes(images)
    pictures = assign_boxes(names, found, sizes.of, lists)
    sizes.keep()
    if not len(pictures.rows):
        example = found.pictures[0].name if found.pictures else "–"
        raise DiagnosticError.of(
            "D303", field="data.source.boxes", folder=str(root), example=example[:100]
        )
    masks = found.outlines and MaskTable(
        table=pictures.table, outlines=found.outlines, numbers=pictures.numbers
    )
    return DetectionFolderSource(
        images=images,
        pictures=pictures,
        classes=tuple(found.classes),
        files=files,
        stamps=stamps,
        mode=mode_param(params),
        size=size_param(params),
        fit=fit_param(params),
        hashes=hashes_of(images),
        masks=masks,
    )


def _origin(params: Mapping[str, Value]) -> VocOrigin:
    """Return what corners of Pascal VOC count from; the usual for anything unknown."""
    value = text_param(params, "voc_origin")
    return value if value in VOC_ORIGINS else "auto"


def _watched(files: BoxFiles) -> list[Path]:
    """Return files of boxes, and their folders, by whose times changes are seen."""
    paths = [files.root / name for name in files.names[:_MOST_WATCHED]]
    return [*paths, *dict.fromkeys(path.parent for path in paths)]
