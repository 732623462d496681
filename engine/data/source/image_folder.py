"""Source of the pictures in a folder, with labels from class folders or a table."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from torch import Tensor
from typing_extensions import override

from engine.catalog.spec import Value
from engine.data.read.fit import Fit, as_bytes, as_float_batch
from engine.data.read.image import ColorMode, read_bytes
from engine.data.read.picture_form import PictureForm
from engine.data.source.class_title import class_titles
from engine.data.source.damaged_files import DamagedFiles
from engine.data.source.file_folder import (
    FileFolderSource,
    cached_file,
    folder_index,
    folder_param,
    task_of,
    telling_of_folder,
)
from engine.data.source.file_hashes import FileHashes
from engine.data.source.file_weight import file_weights
from engine.data.source.image_index import ImageIndex
from engine.data.source.parameter import sizes, text_param
from engine.data.source.source import Values, no_values, stacked
from engine.spec.data import FieldInfo

_CHANNELS = {"RGB": 3, "gray": 1}


@dataclass(frozen=True, kw_only=True)
class ImageFolderSource(FileFolderSource):
    """Pictures of a folder.

    With ``size`` (height, width) the field ``image`` is float32 from 0 to 1 of shape (C, height,
    width), else uint8 of shape (C, -1, -1).
    """

    replaced = ("D052", "D053")

    mode: ColorMode = "RGB"
    size: tuple[int, int] | None = None
    fit: Fit = "crop"

    @property
    @override
    def file_info(self) -> FieldInfo:
        return image_info(self.mode, self.size)

    @override
    def joined(self, values: list[Tensor]) -> Values:
        return batch_of(values, self.file_info)

    @property
    @override
    def form(self) -> tuple[object, ...]:
        return self.mode, self.size, self.fit

    @override
    def read_file(self, index: int) -> Tensor:
        """Return a picture of shape (C, H, W) as it was decoded, of the size that was chosen."""
        content = read_content(self.index, index)
        return self._picture.decoded(content, str(self.index.path(index)))

    @override
    def file_form(self, name: str) -> PictureForm | None:
        return self._picture if name == self.file_info.name else None

    @property
    def _picture(self) -> PictureForm:
        return PictureForm(mode=self.mode, size=self.size, fit=self.fit)


def load_image_folder(params: Mapping[str, Value]) -> ImageFolderSource:
    """Return the pictures of the folder ``path``; ``labels`` is a table of labels, empty for class
    folders, ``weight`` a column of it; ``mode``, ``size``, ``fit`` and ``on_damaged`` are as in the
    catalogue.

    Raises :class:`DiagnosticError`: D075 without a path, and what
    :func:`engine.data.source.image_index.build_index` and
    :func:`engine.data.source.file_weight.file_weights` do.
    """
    root, index = folder_param(params), folder_index(params)
    damaged = DamagedFiles(Path(index.head.root), cached_file("image-damaged", index, "txt"))
    source = image_source(index, params, damaged, hashes_of(index))
    titles = () if params.get("labels") else class_titles(root, index.head.classes)
    weight = text_param(params, "weight")
    weights = file_weights(index, weight) if weight else None
    return replace(source, titles=titles, weight=weight, weights=weights)


def image_source(
    index: ImageIndex, params: Mapping[str, Value], damaged: DamagedFiles, hashes: FileHashes
) -> ImageFolderSource:
    """Return pictures that were indexed; ``mode``, ``size``, ``fit`` and ``on_damaged`` are as in
    the catalogue.
    """
    return ImageFolderSource(
        index=index,
        task=task_of(len(index.head.classes)),
        mode=mode_param(params),
        size=size_param(params),
        fit=fit_param(params),
        replaces_damaged=params.get("on_damaged") == "replace",
        damaged=damaged,
        hashes=hashes,
    )


def batch_of(pictures: list[Tensor], info: FieldInfo) -> Values:
    """Return decoded pictures as their field has them: float32 of one size, or uint8 of any."""
    if not pictures:
        return no_values(info)
    if info.dtype == "float32":
        return as_float_batch(pictures)
    return stacked([as_bytes(picture) for picture in pictures], info)


def image_info(mode: ColorMode, size: tuple[int, int] | None, name: str = "image") -> FieldInfo:
    """Return the description of a field of pictures."""
    return FieldInfo(
        name=name,
        role="input",
        kind="image",
        shape=(_CHANNELS[mode], *(size or (-1, -1))),
        dtype="uint8" if size is None else "float32",
    )


def read_content(index: ImageIndex, at: int) -> bytes:
    """Return what the file of a picture holds. Raises :class:`DiagnosticError` D050 where the
    folder itself is not there any more, else what reading of files raises.
    """
    with telling_of_folder(index, at):
        return read_bytes(index.path(at))


def mode_param(params: Mapping[str, Value]) -> ColorMode:
    """Return the colors that are chosen."""
    return "gray" if params.get("mode") == "gray" else "RGB"


def size_param(params: Mapping[str, Value]) -> tuple[int, int] | None:
    """Return height and width that are chosen, None for those of each picture."""
    if params.get("size") is None:
        return None
    chosen = sizes(params, "size")
    return chosen[0], chosen[-1]


def fit_param(params: Mapping[str, Value]) -> Fit:
    """Return how pictures get the size that is chosen."""
    chosen = params.get("fit")
    return "stretch" if chosen == "stretch" else "pad" if chosen == "pad" else "crop"


def hashes_of(index: ImageIndex) -> FileHashes:
    """Return the hashes of the pictures of a folder."""
    file = cached_file("image-hashes", index, "bin")
    return FileHashes(len(index), index.path, read_bytes, file, root=Path(index.head.root))
