"""Parts that a run keeps: which of its samples it trains on, validates and tests with, and by what
they are recognised again. Where the data has grown or shrunk since, samples stay in their parts,
and only new ones are divided.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import msgspec
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from engine.data.source.identity import Identities
from engine.data.source.source import PARTS, Part, Source
from engine.data.split.split import NOWHERE, part_indices, part_numbers, split_new, split_source
from engine.diagnostics import Diagnostic, DiagnosticError, Severity
from engine.spec.run import SplitSpec

_LEAST_RECOGNISED = 0.5
"""The share of the samples of then that has to be there where the data has others as well."""

_FIELD = "data.source"

_LATER = 0x80
"""Stands beside the part of a sample that came after the run had begun."""


class KeptParts(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The part of each sample, a byte (an index into :data:`PARTS`), in the order of the data, and
    last those of samples that are ``gone`` by now; the highest bit is set of samples that came
    after the run had begun. ``split`` is how they were divided,
    ``identities`` (:meth:`Source.identities`) are 8 bytes a sample, little
    endian, none where a sample is known by its position alone.
    """

    split: SplitSpec
    parts: bytes
    identities: bytes = b""
    gone: int = 0

    @property
    def is_sound(self) -> bool:
        """Whether it can be what was written."""
        samples = len(self.parts)
        is_known = all(number & ~_LATER < len(PARTS) for number in set(self.parts))
        has_all = len(self.identities) == samples * 8 or not (self.identities or self.gone)
        return is_known and has_all and 0 <= self.gone < samples

    @property
    def has_changed(self) -> bool:
        """Whether samples came or went since the run had begun."""
        return self.gone > 0 or any(number & _LATER for number in set(self.parts))

    @property
    def present(self) -> bytes:
        """The part of each sample that is there, a byte each, whenever it came."""
        return _parts(self)[: len(self.parts) - self.gone].tobytes()


class _Recognised(NamedTuple):
    """For each sample of now its index among the kept ones (int64, -1 for a new one), and the
    indices of kept samples that are not there (int64).
    """

    places: NDArray[np.int64]
    gone: NDArray[np.int64]


@dataclass(frozen=True)
class Division:
    """A source divided into parts: the ``indices`` (int64) of the samples of each; ``before`` are
    the parts that a run has kept; ``can_change`` says that samples may come and go later.
    """

    source: Source
    spec: SplitSpec
    indices: dict[Part, Tensor]
    before: KeptParts | None = None
    recognised: _Recognised | None = None
    can_change: bool = False

    @cached_property
    def kept(self) -> KeptParts:
        """The parts as a run keeps them, also of samples that are gone: they may come back."""
        parts = part_numbers(self.source.samples, self.indices).numpy().astype(np.uint8)
        parts[~self._is_first] |= _LATER
        identities = self.source.identities()
        kept = KeptParts(
            split=self.spec,
            parts=parts.tobytes(),
            identities=b"" if identities is None else identities.astype("<u8").tobytes(),
        )
        if self.before is None or self.recognised is None or not self.before.identities:
            return kept
        gone = self.recognised.gone
        then = np.frombuffer(self.before.parts, np.uint8)
        known = _identities(self.before)
        return KeptParts(
            split=kept.split,
            parts=kept.parts + then[gone].tobytes(),
            identities=kept.identities + known[gone].astype("<u8").tobytes(),
            gone=len(gone),
        )

    @cached_property
    def _is_first(self) -> NDArray[np.bool_]:
        """Whether each sample was there when the run began."""
        if self.before is None or self.recognised is None:
            return np.ones(self.source.samples, bool)
        flags = np.append(np.frombuffer(self.before.parts, np.uint8) & _LATER, _LATER)
        return flags[self.recognised.places] == 0

    @property
    def is_of_run(self) -> bool:
        """Whether samples are in the parts that a run had them in; one of an older version has not
        kept them, and its files may have changed.
        """
        return self.before is not None or not self.can_change

    @property
    def is_new(self) -> NDArray[np.bool_]:
        """Whether each sample is none of those whose parts a run has kept."""
        if self.recognised is None:
            return np.zeros(self.source.samples, bool)
        return self.recognised.places < 0

    def learnt_from(self, training: Tensor) -> Tensor:
        """Return the training samples (int64) of which normalisation and the values for missing
        ones are taken: those that the run began with, while there is one, so that new samples do
        not change what the model reads of the others.
        """
        first = training[torch.from_numpy(self._is_first)[training]]
        return first if len(first) else training

    @property
    def problems(self) -> tuple[Diagnostic, ...]:
        """What is to be said of the samples that are new (D558), and of those that are gone since
        the parts were kept (D573).
        """
        if self.before is None or self.recognised is None:
            return ()
        new = torch.from_numpy(self.is_new)
        counts = {part: int(new[index].sum()) for part, index in self.indices.items()}
        left = len(self.before.parts) - self.before.gone
        gone = int((self.recognised.gone < left).sum())
        found = (
            _warning("D558", count=sum(counts.values()), **counts),
            _warning("D573", count=gone),
        )
        return tuple(each for each in found if each.params["count"])


def divide(source: Source, spec: SplitSpec, kept: KeptParts | None = None) -> Division:
    """Return a source divided by a specification. Where a run has ``kept`` its parts and they were
    divided so, the samples that are recognised stay in theirs, and only new ones are divided
    (:func:`~engine.data.split.split.split_new`).

    Raises :class:`DiagnosticError` as :func:`~engine.data.split.split.split_source` does, and D559
    where too few samples are recognised to tell which ones are new.
    """
    if kept is None or kept.split != spec:
        return Division(source, spec, split_source(source, spec))
    recognised = _recognised(source, kept)
    parts = torch.from_numpy(np.append(_parts(kept).astype(np.int64), NOWHERE)[recognised.places])
    if bool((parts == NOWHERE).any()):
        parts = split_new(source, spec, parts)
    return Division(source, spec, part_indices(parts), kept, recognised)


def _recognised(source: Source, kept: KeptParts) -> _Recognised:
    """Return which kept samples those of a source are. Raises :class:`DiagnosticError` D559."""
    left = len(kept.parts) - kept.gone
    identities = source.identities()
    if identities is None or not kept.identities:
        if source.samples != left:
            _refuse(source, left, 0)
        return _Recognised(np.arange(left), np.empty(0, np.int64))
    known = _identities(kept)
    places = _matched(known, identities)
    found = int(np.count_nonzero((places >= 0) & (places < left)))
    has_others = bool((places < 0).any()) and found < left
    if has_others and source.samples != left and found < left * _LEAST_RECOGNISED:
        _refuse(source, left, found)
    places = _with_changed(places, left)
    is_gone = np.ones(len(known), bool)
    is_gone[places[places >= 0]] = False
    return _Recognised(places, np.flatnonzero(is_gone))


def _refuse(source: Source, before: int, found: int) -> None:
    raise DiagnosticError.of("D559", field=_FIELD, before=before, now=source.samples, found=found)


def _matched(known: Identities, now: Identities) -> NDArray[np.int64]:
    """Return the index of each sample among the known ones, -1 for none; of equal ones the first of
    now is the first of then.
    """
    if np.array_equal(known, now):
        return np.arange(len(now))
    order, rank = np.argsort(known, kind="stable"), np.argsort(now, kind="stable")
    first = np.searchsorted(known[order], now[rank], "left")
    count = np.searchsorted(known[order], now[rank], "right") - first
    nth = np.arange(len(now)) - np.searchsorted(now[rank], now[rank], "left")
    places = np.full(len(now), NOWHERE)
    is_there = nth < count
    places[rank[is_there]] = order[(first + nth)[is_there]]
    return places


def _with_changed(places: NDArray[np.int64], left: int) -> NDArray[np.int64]:
    """Return the places (-1 for none) with those of samples that were changed where they are: as
    many after one that is recognised as there are of then. In doubt a new sample takes the part of
    one that is gone, which does no harm; a changed one in another part would.
    """
    missing = np.flatnonzero(places < 0)
    used = np.zeros(left + 1, bool)
    used[places[(places >= 0) & (places < left)]] = True
    used[left] = True
    if not len(missing) or used[:left].all():
        return places
    ends = np.flatnonzero(used)
    is_anchor = (places >= 0) & (places < left)
    anchors = np.maximum.accumulate(np.where(is_anchor, np.arange(len(places)), NOWHERE))
    at = anchors[missing]
    before = np.where(at >= 0, places[at], NOWHERE)
    wanted = before + (missing - at)
    free = ends[np.searchsorted(ends, before + 1)]
    is_free = wanted < free
    changed = places.copy()
    changed[missing[is_free]] = wanted[is_free]
    return changed


def _parts(kept: KeptParts) -> NDArray[np.uint8]:
    return np.frombuffer(kept.parts, np.uint8) & ~np.uint8(_LATER)


def _identities(kept: KeptParts) -> Identities:
    return np.frombuffer(kept.identities, "<u8").astype(np.uint64)


def _warning(code: str, **params: int) -> Diagnostic:
    return Diagnostic(code=code, severity=Severity.WARNING, field=_FIELD, params=dict(params))
