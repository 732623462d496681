"""Reader of videos: some frames of a file, each of one size.

MP4, AVI, MKV, WebM and MOV are decoded by TorchCodec (FFmpeg), a frame at a time: a long video is
never held whole. Videos come from strangers: only these containers, handed over as an open stream
(so that no file names another one), bounded in pixels and frames, and whatever is wrong with one is
a finding that names the file.
"""

import importlib
import math
import os
import shutil
from collections.abc import Generator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from io import BufferedReader, BytesIO, FileIO
from pathlib import Path
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, NamedTuple

import torch
from torch import Tensor

from engine.data.read.enclosed import status_of
from engine.data.read.fit import Fit, as_float_batch, fit_image, fitted_size
from engine.data.read.media import damaged_media, media_digest, opened_media
from engine.data.seed import one_thread
from engine.diagnostics import DiagnosticError
from engine.sandbox import reading
from engine.sandbox.answer import Refused, Watched

if TYPE_CHECKING:
    from torchcodec.decoders import VideoDecoder  # pyright: ignore[reportPrivateImportUsage]

SUFFIXES = frozenset((".mp4", ".m4v", ".avi", ".mkv", ".webm", ".mov"))
"""The endings of the names of videos, in small letters."""

MOST_PIXELS = 1 << 25  # of a frame: 8K
MOST_FRAMES = 10_000_000  # of a file: four days
_DAMAGED = "D391"
MOST_TOGETHER = 16
"""How many videos one process rehearses."""

DAMAGED = (_DAMAGED, "D392")
"""The findings about a file that cannot be used, whatever is done with it."""

_ATOMS = (b"ftyp", b"moov", b"mdat", b"free", b"skip", b"wide", b"pnot")  # of MP4 and MOV
_MATROSKA = b"\x1aE\xdf\xa3"
_SIGN = 12  # bytes
_FAILURES = (RuntimeError, ValueError, IndexError, OSError, MemoryError, TypeError)
_CHANNELS = 3
_NO_VIDEO = "no MP4, AVI, MKV, WebM or MOV"
_MOST_REHEARSED = 1000
_Stamp = tuple[str, int, int]
_rehearsed: set[_Stamp] = set()


class VideoHead(NamedTuple):
    """What a file says of itself: the number of its frames, frames a second, pixels."""

    frames: int
    rate: float
    height: int
    width: int

    @property
    def seconds(self) -> float:
        """The duration."""
        return self.frames / self.rate if self.rate > 0 else 0.0


@dataclass(frozen=True, kw_only=True)
class VideoForm:
    """How videos become tensors: so many ``frames`` of each, of one ``size`` (height, width)."""

    frames: int
    size: tuple[int, int]
    fit: Fit = "crop"

    @property
    def shape(self) -> tuple[int, int, int, int]:
        """The shape of a video: (3, frames, height, width), as Conv3d reads it."""
        return _CHANNELS, self.frames, *self.size

    @property
    def numbers(self) -> int:
        """How many numbers a sample has."""
        return math.prod(self.shape)


def read_video(path: Path, form: VideoForm, offsets: Sequence[float] = ()) -> Tensor:
    """Return frames of a video, float32 from 0 to 1 of the shape that ``form`` has.

    The video is cut into as many segments of equal length as frames are wanted, of each of which
    one frame is taken (Wang et al.: Temporal Segment Networks, 2016): the one at ``offsets``, from
    0 (the first) to 1 (the end), a number a segment; without them the middle one. A video with
    fewer frames has some of them more than once.

    Raises :class:`DiagnosticError`: D054 to D056 for a file that cannot be read, D390 where
    TorchCodec or FFmpeg is missing, D391 for a damaged one, D392 for one beyond the limits.
    """
    return read_video_and_head(path, form, offsets)[0]


def read_video_and_head(
    path: Path, form: VideoForm, offsets: Sequence[float] = ()
) -> tuple[Tensor, VideoHead]:
    """Return what :func:`read_video` does, and what the file says of itself; raises as that."""
    with one_thread(), _opened(path) as (decoder, head):
        chosen = _indices(head.frames, form.frames, offsets)
        frames: dict[int, Tensor] = {}
        for index in chosen:
            if index not in frames:
                frames[index] = fit_image(_frame(decoder, index), *form.size, form.fit)
    batch = as_float_batch([frames[index] for index in chosen])
    return batch.transpose(0, 1).contiguous(), head


def read_still(path: Path, side: int) -> Tensor:
    """Return the middle frame of a video, uint8 of shape (3, height, width), in its proportions, no
    side longer than ``side``. Raises as :func:`read_video` does.
    """
    with one_thread(), _opened(path) as (decoder, head):
        frame = _frame(decoder, head.frames // 2)
        return fit_image(frame, *fitted_size(frame.shape[-2], frame.shape[-1], side), "stretch")


def read_head(path: Path) -> VideoHead:
    """Return what a file says of itself. Raises as :func:`read_video` does."""
    with _opened(path) as (_, head):
        return head


def rehearse_video(path: Path) -> None:
    """Have a file of somebody else opened by a process that can harm nobody, and some of its frames
    decoded there; once for each version of a file. Raises as :func:`read_video` does.
    """
    require_reader()
    with opened_media(path, _DAMAGED) as stream:
        stamp = _stamp(path)
        if stamp in _rehearsed:
            return
        if not _is_signed(stream):
            raise damaged_media(_DAMAGED, path, _NO_VIDEO)
        try:
            with _on_disk(stream) as handed:
                reply = reading.ask(reading.Reader.VIDEO, handed, str(MOST_PIXELS))
        except (reading.NoAnswerError, OSError) as error:
            raise damaged_media(_DAMAGED, path, error) from error
    if isinstance(reply, Refused) and reply.code == "D392":
        raise _too_large(path, reply.detail)
    if not isinstance(reply, Watched):
        raise damaged_media(_DAMAGED, path, reply.detail if isinstance(reply, Refused) else "")
    _note([stamp])


def rehearse_videos(paths: Sequence[Path]) -> None:
    """Do as :func:`rehearse_video` for several files, at most :data:`MOST_TOGETHER`, in one process
    where the system lets it be given them: it takes seconds to load what it needs. Whatever is
    wrong is left to :func:`rehearse_video` of each file, which tells it.
    """
    if os.name != "posix":
        return
    handed: list[BufferedReader] = []
    stamps: list[_Stamp] = []
    with ExitStack() as stack, suppress(reading.NoAnswerError, OSError):
        for path in paths[:MOST_TOGETHER]:
            with suppress(DiagnosticError, OSError):
                stream, stamp = stack.enter_context(opened_media(path, _DAMAGED)), _stamp(path)
                if stamp not in _rehearsed and _is_signed(stream):
                    handed.append(stack.enter_context(_on_disk(stream)))
                    stamps.append(stamp)
        if handed:
            most = str(MOST_PIXELS)
            patience_s = reading.TIMEOUT_S * len(handed)
            reply = reading.ask(
                reading.Reader.VIDEO, handed[0], most, others=handed[1:], patience_s=patience_s
            )
            if isinstance(reply, Watched) and len(reply.frames) == len(handed):
                _note(stamps)


def _stamp(path: Path) -> _Stamp:
    status = status_of(path)
    return str(path), status.st_size, status.st_mtime_ns


def _note(stamps: Sequence[_Stamp]) -> None:
    if len(_rehearsed) >= _MOST_REHEARSED:
        _rehearsed.clear()
    _rehearsed.update(stamps)


@contextmanager
def _on_disk(stream: BufferedReader) -> Generator[BufferedReader]:
    """Give an open file that the system knows, by which another process can be given it: itself,
    or a copy of what is inside another file. Raises ``OSError``.
    """
    if not isinstance(stream.raw, BytesIO):
        yield stream
        return
    with TemporaryFile() as copy:
        shutil.copyfileobj(stream, copy)
        copy.seek(0)
        yield BufferedReader(FileIO(copy.fileno(), closefd=False))


def video_digest(path: Path) -> bytes:
    """Return a hash (16 bytes) of a file, which is never held whole. Raises
    :class:`DiagnosticError` D054 to D056, D391 for what is no file.
    """
    return media_digest(path, _DAMAGED)


def require_reader() -> None:
    """Raise :class:`DiagnosticError` D390 where TorchCodec is not installed, D393 where it is but
    finds no FFmpeg.
    """
    try:
        importlib.import_module("torchcodec.decoders")  # an extra
    except ModuleNotFoundError as error:
        raise DiagnosticError.of("D390", detail=str(error)) from error
    except (ImportError, OSError, RuntimeError) as error:  # it loads FFmpeg's libraries at once
        raise DiagnosticError.of("D393", detail=str(error)) from error


@contextmanager
def _opened(path: Path) -> "Generator[tuple[VideoDecoder, VideoHead]]":
    """Open a file that is a video by its first bytes, and by what its head says."""
    require_reader()
    from torchcodec.decoders import VideoDecoder  # pyright: ignore[reportPrivateImportUsage]

    with opened_media(path, _DAMAGED) as stream:
        if not _is_signed(stream):
            raise damaged_media(_DAMAGED, path, _NO_VIDEO)
        try:
            decoder = VideoDecoder(stream, num_ffmpeg_threads=1, device="cpu")
            yield decoder, _checked(decoder, path)
        except _FAILURES as error:
            raise damaged_media(_DAMAGED, path, _reason(error)) from error


def _is_signed(stream: BufferedReader) -> bool:
    start = stream.read(_SIGN)
    stream.seek(0)
    is_avi = start.startswith(b"RIFF") and start[8:12] == b"AVI "
    return is_avi or start.startswith(_MATROSKA) or start[4:8] in _ATOMS


def _checked(decoder: "VideoDecoder", path: Path) -> VideoHead:
    told = decoder.metadata
    head = VideoHead(
        frames=len(decoder),
        rate=float(told.average_fps or 0.0),
        height=int(told.height or 0),
        width=int(told.width or 0),
    )
    if head.frames <= 0 or head.height <= 0 or head.width <= 0:
        raise damaged_media(_DAMAGED, path, "0 frames")
    if head.height * head.width > MOST_PIXELS or head.frames > MOST_FRAMES:
        raise _too_large(path, f"{head.width:,} × {head.height:,} × {head.frames:,}")
    return head


def _too_large(path: Path, size: str) -> DiagnosticError:
    limit = f"{MOST_PIXELS:,} × {MOST_FRAMES:,}"
    return DiagnosticError.of("D392", file=str(path), size=size, limit=limit)


def _frame(decoder: "VideoDecoder", index: int) -> Tensor:
    """Return a frame, uint8 of shape (3, H, W)."""
    frame = decoder.get_frame_at(index).data
    if frame.ndim != _CHANNELS or frame.dtype != torch.uint8 or not frame.numel():
        raise ValueError("no frame")
    return frame


def _indices(frames: int, count: int, offsets: Sequence[float]) -> list[int]:
    """Return a frame of each of ``count`` segments, in their order."""
    chosen = [offsets[at] if at < len(offsets) else 0.5 for at in range(count)]
    return [
        min(int((at + min(max(offset, 0.0), 1.0)) * frames / count), frames - 1)
        for at, offset in enumerate(chosen)
    ]


def _reason(error: Exception) -> str:
    """Return what TorchCodec says, without the place in its own code."""
    text = " ".join(str(error).split()) or type(error).__name__
    place, found, rest = text.partition(".cpp:")
    return rest.partition(", ")[2] or text if found and place else text
