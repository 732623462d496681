"""Source of the sounds in a folder, with labels from class folders or a table."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

from torch import Tensor
from typing_extensions import override

from engine.catalog.spec import Value
from engine.data.read.sound import (
    DAMAGED,
    SUFFIXES,
    Channels,
    SoundForm,
    read_sound,
    require_reader,
    sound_digest,
)
from engine.data.read.spectrogram import Bands, empty_bands
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
from engine.data.source.file_weight import file_weights
from engine.data.source.image_walk import FileKind
from engine.data.source.parameter import int_param, number, text_param
from engine.data.source.sound_heads import SoundHeads
from engine.data.source.source import Draws, Part, Values, stacked
from engine.diagnostics import Diagnostic, DiagnosticError, Severity
from engine.spec.data import FieldInfo

SOUNDS = FileKind(SUFFIXES, "D365", "sounds")

_MOST_NUMBERS = 1 << 25  # of a sample, also while it is computed
_STREAM = 2  # apart from the random numbers of transforms and of batches


@dataclass(frozen=True, kw_only=True)
class SoundFolderSource(FileFolderSource):
    """Sounds of a folder: the field ``sound`` is float32, a waveform of shape (channels, samples)
    or a spectrogram of shape (channels, bands, frames), in decibels.

    Of a sound that is longer than a sample the middle is taken; with ``draws_pieces`` another piece
    in each epoch, which follows from seed, epoch and index.
    """

    replaced = DAMAGED

    sound: SoundForm
    heads: SoundHeads
    has_random_pieces: bool = True
    draws_pieces: bool = False

    @property
    @override
    def file_info(self) -> FieldInfo:
        return sound_info("sound", self.sound)

    @override
    def joined(self, values: list[Tensor]) -> Values:
        return stacked(values, self.file_info)

    @property
    @override
    def form(self) -> tuple[object, ...]:
        return (self.sound,)

    @override
    def read_file(self, index: int) -> Tensor:
        return self._read_piece(index, 0.5)

    @override
    def read_at(self, indices: Sequence[int], seed: int, epoch: int) -> dict[str, Values]:
        if not self.draws_pieces:
            return self.read(indices)

        def read(index: int) -> Tensor:
            return self._read_piece(index, *drawn_numbers(1, seed, epoch, index, _STREAM))

        return self.read_by(read, indices)

    @override
    def file_form(self, name: str) -> SoundForm | None:
        return self.sound if name == self.file_info.name else None

    @override
    def for_training(self) -> "Self":
        return replace(self, draws_pieces=True) if self.has_random_pieces else self

    @override
    def draws(self, name: str) -> Draws | None:
        is_drawn = self.draws_pieces and name == self.file_info.name
        return Draws(1, _STREAM) if is_drawn else None

    @override
    def check(self, indices: Mapping[Part, Tensor]) -> tuple[Diagnostic, ...]:
        bands = self.sound.bands
        empty = 0 if bands is None else empty_bands(self.sound.rate, bands)
        problems = super().check(indices)
        if not empty:
            return problems
        severity, place = Severity.WARNING, "data.source.mels"
        told = Diagnostic.of(
            "D367", severity=severity, field=place, count=empty, total=bands.count if bands else 0
        )
        return (*problems, told)

    def _read_piece(self, index: int, position: float) -> Tensor:
        with telling_of_folder(self.index, index):
            return read_sound(self.index.path(index), self.sound, position)


def load_sound_folder(params: Mapping[str, Value]) -> SoundFolderSource:
    """Return the sounds of the folder ``path``; ``labels`` is a table of labels, empty for class
    folders, ``weight`` a column of it; the other parameters are as in the catalogue.

    Raises :class:`DiagnosticError`: D075 without a path, D360 where soundfile is not installed,
    and what :func:`engine.data.source.image_index.build_index` and
    :func:`engine.data.source.file_weight.file_weights` do.
    """
    require_reader()
    root, index = folder_param(params), folder_index(params, SOUNDS)
    weight = text_param(params, "weight")
    return SoundFolderSource(
        index=index,
        weight=weight,
        weights=file_weights(index, weight) if weight else None,
        task=task_of(len(index.head.classes)),
        sound=sound_form(params),
        has_random_pieces=params.get("piece") == "random",
        replaces_damaged=params.get("on_damaged") == "replace",
        damaged=DamagedFiles(Path(index.head.root), cached_file("sound-damaged", index, "txt")),
        hashes=FileHashes(
            len(index),
            index.path,
            sound_digest,
            cached_file("sound-hashes", index, "bin"),
            root=root,
        ),
        heads=SoundHeads(
            len(index), index.path, cached_file("sound-heads", index, "bin"), root=root
        ),
    )


def sound_form(params: Mapping[str, Value]) -> SoundForm:
    """Return how sounds become tensors, as the settings say. Raises :class:`DiagnosticError` D364
    for samples that would be too large.
    """
    channels: Channels = "stereo" if params.get("channels") == "stereo" else "mono"
    bands = None
    if params.get("form") != "waveform":
        n_fft = int_param(params, "n_fft")
        bands = Bands(
            count=int_param(params, "mels"),
            n_fft=n_fft,
            hop_length=min(int_param(params, "hop_length"), n_fft),
        )
    form = SoundForm(
        rate=int_param(params, "rate"),
        channels=channels,
        seconds=number(params, "seconds"),
        bands=bands,
    )
    numbers = form.numbers
    if numbers > _MOST_NUMBERS:
        raise DiagnosticError.of(
            "D364", field="data.source.seconds", numbers=numbers, limit=_MOST_NUMBERS
        )
    return form


def sound_info(name: str, form: SoundForm) -> FieldInfo:
    """Return the description of a field of sounds."""
    return FieldInfo(name=name, role="input", kind="sound", shape=form.shape, dtype="float32")
