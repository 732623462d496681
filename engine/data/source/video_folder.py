"""Source of the videos in a folder, with labels from class folders or a table."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

from torch import Tensor
from typing_extensions import override

from engine.catalog.spec import Value
from engine.data.read.video import (
    DAMAGED,
    SUFFIXES,
    VideoForm,
    read_video,
    require_reader,
    video_digest,
)
from engine.data.seed import drawn_numbers
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
from engine.data.source.image_folder import fit_param
from engine.data.source.image_walk import FileKind
from engine.data.source.parameter import int_param, sizes
from engine.data.source.source import Draws, Values, stacked
from engine.data.source.video_heads import VideoHeads
from engine.diagnostics import DiagnosticError
from engine.spec.data import FieldInfo

VIDEOS = FileKind(SUFFIXES, "D394", "videos")

_MOST_NUMBERS = 1 << 25  # of a sample
_STREAM = 3  # apart from the random numbers of transforms, batches and sounds


@dataclass(frozen=True, kw_only=True)
class VideoFolderSource(FileFolderSource):
    """Videos of a folder: the field ``video`` is float32 from 0 to 1 of shape (3, frames, height,
    width).

    A frame is taken of each segment of a video, the middle one; with ``draws_frames`` another one
    in each epoch, which follows from seed, epoch and index.
    """

    replaced = DAMAGED

    video: VideoForm
    heads: VideoHeads
    has_random_frames: bool = True
    draws_frames: bool = False

    @property
    @override
    def file_info(self) -> FieldInfo:
        return video_info("video", self.video)

    @override
    def joined(self, values: list[Tensor]) -> Values:
        return stacked(values, self.file_info)

    @property
    @override
    def form(self) -> tuple[object, ...]:
        return (self.video,)

    @override
    def read_file(self, index: int) -> Tensor:
        return self._read_frames(index, ())

    @override
    def read_at(self, indices: Sequence[int], seed: int, epoch: int) -> dict[str, Values]:
        if not self.draws_frames:
            return self.read(indices)

        def read(index: int) -> Tensor:
            offsets = drawn_numbers(self.video.frames, seed, epoch, index, _STREAM)
            return self._read_frames(index, offsets)

        return self.read_by(read, indices)

    @override
    def file_form(self, name: str) -> VideoForm | None:
        return self.video if name == self.file_info.name else None

    @override
    def for_training(self) -> "Self":
        return replace(self, draws_frames=True) if self.has_random_frames else self

    @override
    def draws(self, name: str) -> Draws | None:
        is_drawn = self.draws_frames and name == self.file_info.name
        return Draws(self.video.frames, _STREAM) if is_drawn else None

    def _read_frames(self, index: int, offsets: Sequence[float]) -> Tensor:
        with telling_of_folder(self.index, index):
            return read_video(self.index.path(index), self.video, offsets)


def load_video_folder(params: Mapping[str, Value]) -> VideoFolderSource:
    """Return the videos of the folder ``path``; ``labels`` is a table of labels, empty for class
    folders; the other parameters are as in the catalogue.

    Raises :class:`DiagnosticError`: D075 without a path, D390 where TorchCodec and D393 where
    FFmpeg is missing, D395 for samples that would be too large, and what
    :func:`engine.data.source.image_index.build_index` does.
    """
    require_reader()
    root, index = folder_param(params), folder_index(params, VIDEOS)
    return VideoFolderSource(
        index=index,
        task=task_of(len(index.head.classes)),
        video=video_form(params),
        has_random_frames=params.get("sampling") != "middle",
        replaces_damaged=params.get("on_damaged") == "replace",
        damaged=DamagedFiles(Path(index.head.root), cached_file("video-damaged", index, "txt")),
        hashes=FileHashes(
            len(index),
            index.path,
            video_digest,
            cached_file("video-hashes", index, "bin"),
            root=root,
        ),
        heads=VideoHeads(
            len(index), index.path, cached_file("video-heads", index, "bin"), root=root
        ),
    )


def video_form(params: Mapping[str, Value]) -> VideoForm:
    """Return how videos become tensors, as the settings say. Raises :class:`DiagnosticError` D395
    for samples that would be too large.
    """
    chosen = sizes(params, "size")
    form = VideoForm(
        frames=int_param(params, "frames"), size=(chosen[0], chosen[-1]), fit=fit_param(params)
    )
    if form.numbers > _MOST_NUMBERS:
        raise DiagnosticError.of(
            "D395", field="data.source.frames", numbers=form.numbers, limit=_MOST_NUMBERS
        )
    return form


def video_info(name: str, form: VideoForm) -> FieldInfo:
    """Return the description of a field of videos."""
    return FieldInfo(name=name, role="input", kind="video", shape=form.shape, dtype="float32")
