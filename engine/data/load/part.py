"""Parts of the data as data sets of PyTorch: prepared values, a batch at a time."""

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import NamedTuple, Protocol

import torch
from torch import Tensor
from torch.utils.data import Dataset
from typing_extensions import override

from engine.data.load.normalization import Scaling
from engine.data.load.worker_start import start_failure
from engine.data.seed import one_thread
from engine.data.source.source import Source, Values
from engine.data.transform.chain import image_numbers
from engine.data.transform.collate import STACK, Collation
from engine.diagnostics import DiagnosticError
from engine.spec.data import PIXEL_KINDS, FieldInfo

Batch = dict[str, Tensor]
"""The fields of some samples, each of shape (samples, ...)."""
NO_LENGTHS: Mapping[str, int] = MappingProxyType({})


class BatchIndex(NamedTuple):
    """What names a batch: run seed, epoch and number of the batch, from which random numbers
    follow, and the positions (int64) of its samples in the part. ``local`` are those of its rows
    that this process computes, None for all.
    """

    seed: int
    epoch: int
    number: int
    positions: Tensor
    local: Tensor | None = None

    @property
    def local_positions(self) -> Tensor:
        """The positions of the samples that this process computes."""
        return self.positions if self.local is None else self.positions[self.local]


class LoadFailure(NamedTuple):
    """Why a batch could not be read: what a worker sends in its place."""

    error: DiagnosticError


class Preparation(Protocol):
    """Transforms of one sample, whose random numbers follow from seed, epoch and index."""

    def apply(self, sample: Batch, seed: int, epoch: int, index: int) -> Batch:
        """Return the fields of a sample, transformed."""
        ...


class PartData(Dataset[Batch]):
    """Samples of one part, prepared for the model: what a ``DataLoader`` reads batches from."""

    @property
    @abstractmethod
    def names(self) -> tuple[str, ...]:
        """The names of the fields."""

    @abstractmethod
    def __len__(self) -> int:
        """Return the number of samples."""

    @abstractmethod
    def form(self, name: str) -> Tensor:
        """Return a field of no sample: its shape (0, ...), dtype and device."""

    @abstractmethod
    def batch(self, index: BatchIndex) -> Batch:
        """Return the rows of a batch that this process computes."""

    @abstractmethod
    def placed(
        self, names: Sequence[str], convert: Callable[[Tensor], Tensor], device: torch.device | None
    ) -> "PartData":
        """Return the part with some fields only, converted, and on a device where one is given."""

    @property
    def nbytes(self) -> int:
        """The memory that all its values take, 0 where they are read batch by batch."""
        return 0

    def __getitems__(self, index: BatchIndex) -> Batch | LoadFailure:
        """Return a batch, or why there is none, whole: of an exception that PyTorch carries over
        from a worker only the text would arrive.
        """
        failure = start_failure()
        if failure is not None:
            return LoadFailure(failure)
        try:
            return self.batch(index)
        except DiagnosticError as error:
            return LoadFailure(error)

    def all(self) -> Batch:
        """Return all samples in their order."""
        return self.batch(BatchIndex(0, 0, 0, torch.arange(len(self))))


@dataclass(frozen=True)
class TensorPart(PartData):
    """Part whose values are in memory, as tensors of shape (samples of the part, ...)."""

    values: Mapping[str, Tensor]
    samples: int

    @property
    @override
    def names(self) -> tuple[str, ...]:
        return tuple(self.values)

    @override
    def __len__(self) -> int:
        return self.samples

    @override
    def form(self, name: str) -> Tensor:
        return self.values[name][:0]

    @override
    def batch(self, index: BatchIndex) -> Batch:
        rows = index.local_positions
        return {
            name: values.index_select(0, rows.to(values.device))
            for name, values in self.values.items()
        }

    @override
    def placed(
        self, names: Sequence[str], convert: Callable[[Tensor], Tensor], device: torch.device | None
    ) -> "TensorPart":
        values = {name: convert(self.values[name]) for name in self.values if name in names}
        if device is not None:
            values = {name: value.to(device) for name, value in values.items()}
        return TensorPart(values, self.samples)

    @property
    @override
    def nbytes(self) -> int:
        return sum(values.nbytes for values in self.values.values())


@dataclass(frozen=True)
class StreamedPart(PartData):
    """Part whose samples are read and transformed when a batch needs them.

    ``indices`` (int64) are its samples in the source, ``infos`` the fields after ``preparation``.
    """

    source: Source
    indices: Tensor
    infos: tuple[FieldInfo, ...]
    preparation: Preparation | None = None
    collation: Collation = STACK
    scalings: Mapping[str, Scaling] = field(default_factory=dict[str, Scaling])
    converts: Mapping[str, Callable[[Tensor], Tensor]] = field(
        default_factory=dict[str, Callable[[Tensor], Tensor]]
    )

    @property
    @override
    def names(self) -> tuple[str, ...]:
        return tuple(info.name for info in self.infos)

    @override
    def __len__(self) -> int:
        return len(self.indices)

    @override
    def form(self, name: str) -> Tensor:
        info = next(info for info in self.infos if info.name == name)
        dtype: torch.dtype = getattr(torch, info.dtype)
        # Of boxes there is any number; a text may be as long as the longest.
        shape = [size if size >= 0 else info.longest for size in info.shape]
        return self._converted(name, torch.empty(0, *shape, dtype=dtype))

    @override
    def batch(self, index: BatchIndex) -> Batch:
        rows = self.indices[index.local_positions].tolist()
        least = {} if index.local is None else self._longest(index.positions)
        values = prepared(
            self.source,
            rows,
            self.preparation,
            index.seed,
            index.epoch,
            collation=self.collation,
            least=least,
        )
        return {
            name: self._converted(name, self._scaled(name, values[name])) for name in self.names
        }

    @override
    def placed(
        self, names: Sequence[str], convert: Callable[[Tensor], Tensor], device: torch.device | None
    ) -> "StreamedPart":
        del device  # batches are moved one by one
        infos = tuple(info for info in self.infos if info.name in names)
        return replace(self, infos=infos, converts={info.name: convert for info in infos})

    def _longest(self, positions: Tensor) -> dict[str, int]:
        """Return how long the texts of a batch are, so that a process that computes some of its
        rows fills these up as one that computes all of them does.
        """
        found: dict[str, int] = {}
        for info in self.source.infos:
            lengths = self.source.column(f"{info.name} length") if info.longest else None
            if lengths is not None and len(positions):
                found[info.name] = int(lengths[self.indices[positions]].max())
        return found

    def _scaled(self, name: str, values: Tensor) -> Tensor:
        scaling = self.scalings.get(name)
        return scaling.apply(values) if scaling else values

    def _converted(self, name: str, values: Tensor) -> Tensor:
        convert = self.converts.get(name)
        return convert(values) if convert else values


def prepared(
    source: Source,
    rows: Sequence[int],
    preparation: Preparation | None,
    seed: int,
    epoch: int,
    *,
    collation: Collation = STACK,
    least: Mapping[str, int] = NO_LENGTHS,
) -> Batch:
    """Return samples of a source, transformed and put together, before normalisation: images of
    whole numbers as float32 from 0 to 1.

    Boxes and their classes are padded (:data:`~engine.spec.data.ROW_KINDS`), texts that are
    ``least`` so long to that. Raises
    :class:`DiagnosticError` D080 where samples of different sizes come together.
    """
    values = source.read_at(rows, seed, epoch)
    if preparation is not None:
        with one_thread():
            samples = [
                preparation.apply(
                    {name: each[at] for name, each in values.items()}, seed, epoch, row
                )
                for at, row in enumerate(rows)
            ]
        names = samples[0] if samples else ()
        values: dict[str, Values] = {name: [sample[name] for sample in samples] for name in names}
    infos = {info.name: info for info in source.infos}
    if collation.is_custom and rows:
        samples = [{name: each[at] for name, each in values.items()} for at in range(len(rows))]
        batch = collation.by_function(samples, rows[0], seed, epoch)
    else:
        batch = collation.batch(infos, values, least)
    images = {name for name, info in infos.items() if info.kind in PIXEL_KINDS}
    return {name: image_numbers(each) if name in images else each for name, each in batch.items()}
