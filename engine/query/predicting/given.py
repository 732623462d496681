"""Samples of the user's own, as they are read: one after the other, by a model's inputs."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from torch import Tensor

from engine.diagnostics import Diagnostic, DiagnosticError
from engine.spec.data import ROW_KINDS, FieldInfo
from engine.train.training import Training

NO_FILES: Mapping[str, Path] = MappingProxyType({})


class GivenSample(NamedTuple):
    """A sample: what it is called, the values of its inputs before transforms and normalisation,
    its targets as they are written, where they are, and the files that inputs were read from.
    ``place`` is the time or the row that it is a prediction for, where it is one of a series.
    """

    name: str
    values: dict[str, Tensor]
    truths: tuple[str, ...] = ()
    files: Mapping[str, Path] = NO_FILES
    place: str = ""


class Unreadable(NamedTuple):
    """A sample that cannot be read, and why; ``is_dropped`` says that the data of the run leaves
    out such samples, too.
    """

    name: str
    error: DiagnosticError
    is_dropped: bool = False


Samples = Iterator[GivenSample | Unreadable]


@dataclass
class GivenData:
    """Samples that are opened: ``total`` is about how many there are, 0 where that is not known.
    ``truths`` are the names of their targets, as far as these are there; ``notices`` are what was
    noted of them once all are read. ``place`` says what the place of each sample is: ``time`` or
    ``row``, empty where they have none.
    """

    total: int
    samples: Samples
    truths: tuple[str, ...] = ()
    notices: Callable[[], Sequence[Diagnostic]] = field(default=tuple)
    place: str = ""


def given_inputs(training: Training) -> tuple[FieldInfo, ...]:
    """Return the inputs of a model that a sample must have, as the data is read: not what is known
    in training alone, which are true boxes and the tokens before the one that is predicted, nor
    what tells of the padding of a batch.
    """
    infos = {info.name: info for info in training.data.source.infos}
    inputs = (infos[name] for name in training.input_fields if name in infos)
    return tuple(info for info in inputs if info.kind not in ROW_KINDS and info.start is None)


def tried(name: str, read: Callable[[], GivenSample]) -> GivenSample | Unreadable:
    """Return a sample, or why it cannot be read."""
    try:
        return read()
    except DiagnosticError as error:
        return Unreadable(name, error)
