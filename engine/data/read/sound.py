"""Reader of sounds: a piece of a file to a waveform or a spectrogram.

WAV, FLAC, OGG and MP3 are decoded by soundfile (libsndfile), a block at a time: a long recording is
never held whole. Sounds come from strangers: only these formats, bounded in channels and samples,
and whatever is wrong with one is a finding that names the file.
"""

import importlib
import math
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from engine.data.read.media import damaged_media, media_digest, opened_media
from engine.data.read.resample import resample
from engine.data.read.spectrogram import Bands, log_mel
from engine.data.read.wave_file import missing_bytes
from engine.data.seed import one_thread
from engine.diagnostics import DiagnosticError

if TYPE_CHECKING:
    from io import BufferedReader

    from soundfile import SoundFile

Channels = Literal["mono", "stereo"]

SUFFIXES = frozenset((".wav", ".flac", ".ogg", ".oga", ".opus", ".mp3"))
"""The endings of the names of sounds, in small letters."""

MOST_SECONDS = 120.0  # of a sample
MOST_RATE = 192_000  # samples a second
MOST_CHANNELS = 64
_DAMAGED = "D361"
DAMAGED = (_DAMAGED, "D362", "D363")
"""The findings about a file that cannot be used, whatever is done with it."""

_FORMATS = ("WAV", "WAVEX", "RF64", "FLAC", "OGG", "MP3")
_SIGNS = (b"RIFF", b"RF64", b"fLaC", b"OggS", b"ID3")
_BLOCK_NUMBERS = 1 << 20  # of all channels, that are decoded at once
_SHORTER = 4608  # samples that a compressed file may have less than it says: four frames of MP3


class SoundHead(NamedTuple):
    """What a file says of itself: samples of each channel, samples a second, channels."""

    frames: int
    rate: int
    channels: int

    @property
    def seconds(self) -> float:
        """The duration."""
        return self.frames / self.rate


@dataclass(frozen=True, kw_only=True)
class SoundForm:
    """How sounds become tensors: ``rate`` samples a second, ``seconds`` of each; ``bands`` of a
    spectrogram, None for the waveform.
    """

    rate: int
    channels: Channels
    seconds: float
    bands: Bands | None = None

    @property
    def samples(self) -> int:
        """The number of samples of each channel."""
        return max(1, round(self.rate * self.seconds))

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of a sound: (channels, samples), or (channels, bands, frames)."""
        count = 1 if self.channels == "mono" else 2
        if self.bands is None:
            return count, self.samples
        return count, self.bands.count, self.bands.frames(self.samples)

    @property
    def numbers(self) -> int:
        """How many numbers a sample has, or the spectrum that it is computed from."""
        if self.bands is None:
            return math.prod(self.shape)
        rows = max(self.bands.count, self.bands.n_fft // 2 + 1)
        return self.shape[0] * rows * self.shape[2]


def read_sound(path: Path, form: SoundForm, position: float = 0.5) -> Tensor:
    """Return a piece of a sound, float32 of the shape that ``form`` has. Of a longer sound
    ``position`` says which piece: 0 is the first, 1 the last, 0.5 the middle; a shorter one is
    followed by silence.

    Raises :class:`DiagnosticError`: D054 to D056 for a file that cannot be read, D360 where
    soundfile is not installed, D361 for a damaged one, D362 for values that are no numbers, D363
    for one beyond the limits.
    """
    with one_thread():
        wave = read_wave(path, form, position)
        return wave if form.bands is None else log_mel(wave, form.rate, form.bands)


def read_wave(path: Path, form: SoundForm, position: float = 0.5) -> Tensor:
    """Return the piece that :func:`read_sound` reads as a waveform: float32 of shape (channels,
    samples). Raises as that does.
    """
    with _opened(path) as (opened, head):
        wanted = math.ceil(form.samples * head.rate / form.rate)
        spare = max(head.frames - wanted, 0)
        start = round(min(max(position, 0.0), 1.0) * spare)
        if start:
            opened.seek(start)
        wanted = min(wanted, head.frames - start)
        pieces = [_mixed(piece, form.channels) for piece in _blocks(opened, head, path, wanted)]
    read = sum(piece.shape[1] for piece in pieces)
    if read < wanted - _SHORTER or not read:
        raise _damaged(path, f"{read:,} of {wanted:,} samples")
    wave = resample(torch.from_numpy(np.concatenate(pieces, axis=1)), head.rate, form.rate)
    missing = form.samples - wave.shape[1]
    wave = torch.nn.functional.pad(wave, (0, missing)) if missing > 0 else wave
    return wave[:, : form.samples].contiguous()


def sound_digest(path: Path) -> bytes:
    """Return a hash (16 bytes) of a file, which is never held whole. Raises
    :class:`DiagnosticError` D054 to D056, D361 for what is no file.
    """
    return media_digest(path, _DAMAGED)


def require_reader() -> None:
    """Raise :class:`DiagnosticError` D360 where soundfile is not installed."""
    try:
        importlib.import_module("soundfile")  # an extra
    except (ImportError, OSError) as error:  # without the library that it loads
        raise DiagnosticError.of("D360", detail=str(error)) from error


def read_head(path: Path) -> SoundHead:
    """Return what a file says of itself. Raises as :func:`read_sound` does."""
    with _opened(path) as (_, head):
        return head


@contextmanager
def opened_sound(path: Path) -> "Generator[tuple[SoundHead, Iterator[NDArray[np.float32]]]]":
    """Open a file: what it says of itself, and all of the sound in blocks of shape (samples,
    channels). Raises as :func:`read_sound` does.
    """
    with _opened(path) as (opened, head):
        yield head, _blocks(opened, head, path, head.frames)


@contextmanager
def _opened(path: Path) -> "Generator[tuple[SoundFile, SoundHead]]":
    """Open a file that is a sound by its first bytes, and by what its head says."""
    require_reader()
    import soundfile

    with opened_media(path, _DAMAGED) as stream:
        if not _is_signed(stream):
            raise _damaged(path, "no WAV, FLAC, OGG or MP3")
        if found := missing_bytes(stream):
            raise _damaged(path, f"{found.there:,} of {found.told:,} bytes of sound")
        try:
            with soundfile.SoundFile(stream) as opened:
                yield opened, _checked(opened, path)
        except (soundfile.SoundFileError, ValueError, OSError, MemoryError, TypeError) as error:
            raise _damaged(path, str(error)) from error


def _is_signed(stream: "BufferedReader") -> bool:
    start = stream.read(4)
    stream.seek(0)
    is_frame = len(start) == 4 and start[0] == 0xFF and start[1] & 0xE0 == 0xE0  # of MP3
    return is_frame or start.startswith(_SIGNS)


def _checked(opened: "SoundFile", path: Path) -> SoundHead:
    head = SoundHead(int(opened.frames), int(opened.samplerate), int(opened.channels))
    if opened.format not in _FORMATS:
        raise _damaged(path, str(opened.format))
    if head.frames <= 0:
        raise _damaged(path, "0 samples")
    if not (0 < head.rate <= MOST_RATE and 0 < head.channels <= MOST_CHANNELS):
        size = f"{head.channels:,} × {head.rate:,} Hz"
        limit = f"{MOST_CHANNELS} × {MOST_RATE:,} Hz"
        raise DiagnosticError.of("D363", file=str(path), size=size, limit=limit)
    return head


def _blocks(
    opened: "SoundFile", head: SoundHead, path: Path, count: int
) -> Iterator[NDArray[np.float32]]:
    """Yield the next samples, in blocks of shape (samples, channels)."""
    size = max(_BLOCK_NUMBERS // head.channels, 1)
    while count > 0:
        block = opened.read(min(size, count), dtype="float32", always_2d=True)
        if not len(block):
            return
        values = np.asarray(block, np.float32)
        if not np.isfinite(values).all():
            raise DiagnosticError.of("D362", file=str(path))
        count -= len(values)
        yield values


def _mixed(block: NDArray[np.float32], channels: Channels) -> NDArray[np.float32]:
    """Return samples (samples, channels) as one channel, their mean, or as two."""
    if channels == "mono":
        return block.mean(axis=1, dtype=np.float32)[None]
    pair = block[:, :2] if block.shape[1] > 1 else np.repeat(block, 2, axis=1)
    return np.ascontiguousarray(pair.T)


def _damaged(path: Path, detail: str) -> DiagnosticError:
    return damaged_media(_DAMAGED, path, detail)
