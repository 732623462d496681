"""Order of the samples of an epoch by a sampler of the user's code."""

import inspect
import math
import time
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import torch
from msgspec.structs import replace
from torch import Tensor

from engine.data.seed import all_seeded, mixed_seed
from engine.data.source.column import class_labels
from engine.data.source.custom.failure import CustomCall
from engine.data.source.custom.opened import load_named
from engine.data.source.source import Source
from engine.diagnostics import Diagnostic, DiagnosticError, Severity

SETTING = "data.source.sampler"
"""Where a sampler of the user's code is chosen for data of the user's code."""

TRIAL_SECONDS = 1.0
_LABELS = "labels"
NOTHING_MORE: Mapping[str, int] = MappingProxyType({})


class TrainingView:
    """The training samples (int64 indices of a source), as a sampler looks at them: their number,
    and each of them (:meth:`Source.item`).
    """

    def __init__(self, source: Source, training: Tensor) -> None:
        self._source = source
        self._training = training
        self._indices: list[int] = training.tolist()
        self._until = math.inf
        self.is_looked_at = False  # whether a sample was asked for

    def __len__(self) -> int:
        """Return the number of training samples."""
        return len(self._indices)

    def __getitem__(self, position: int) -> Any:
        """Return a sample as the source gives it. Raises :class:`TrialOverError`."""
        self.require_time()
        self.is_looked_at = True
        return self._source.item(self._indices[position])

    def labels(self) -> Tensor | None:
        """Return the class of each training sample (int64); None for data without classes."""
        found = class_labels(self._source)
        return None if found is None else found.index_select(0, self._training)

    def limit(self, seconds: float) -> None:
        """Raise :class:`TrialOverError` where this is used after so many seconds from now."""
        self._until = time.monotonic() + seconds

    def require_time(self) -> None:
        """Raise :class:`TrialOverError` where the time is over."""
        if time.monotonic() > self._until:
            raise TrialOverError


class CustomOrder:
    """The positions of the samples of an epoch in the training part, as the user's sampler gives
    them: from seed and epoch alone, where it draws by PyTorch, Python or NumPy. ``setting`` is
    where it is chosen.

    It is made with the samples (``data_source``), and with ``labels``, the class of each (int64),
    where its constructor has a parameter of that name.

    Raises :class:`DiagnosticError` as :func:`engine.data.source.custom.opened.load_named` does,
    D520 where the sampler fails, D549 where it needs classes and there are none, and
    :class:`TrialOverError` where the time is over in which it may look at samples.
    """

    def __init__(
        self, name: str, code: Mapping[str, str], view: TrainingView, setting: str = SETTING
    ) -> None:
        cls, self._call = load_named(name, code, setting)
        self._view = view
        with self._call.reported("D520"), all_seeded(0):
            self.made = make_sampler(cls, self._call, view)
        self._sampler = self.made.sampler

    def __call__(self, seed: int, epoch: int) -> Tensor:
        """Return the positions (int64) of an epoch. Raises :class:`DiagnosticError`: D520 for what
        the sampler raises, D257 for positions that are none, D607 and D608 for less and for more of
        them than there are samples.
        """
        samples = len(self._view)
        with self._call.reported("D520"), all_seeded(mixed_seed(seed, epoch)):
            if hasattr(self._sampler, "set_epoch"):
                self._sampler.set_epoch(epoch)
            positions: list[Any] = []
            for position in self._sampler:
                self._view.require_time()
                positions.append(position)
                if len(positions) > samples:
                    break
        wrong = next((each for each in positions if not is_position(each, samples)), None)
        if wrong is not None:
            value = str(wrong)[:40] or type(wrong).__name__
            raise self._call.refusal("D257", value=value, samples=samples)
        if len(positions) > samples:
            raise self._call.refusal("D608", samples=samples)
        if len(positions) < samples:
            raise self._call.refusal("D607", count=len(positions), samples=samples)
        return torch.tensor([int(position) for position in positions], dtype=torch.int64)

    @property
    def looks_at_samples(self) -> bool:
        """Whether the sampler has asked for a sample so far."""
        return self._view.is_looked_at

    def problem_again(self) -> Diagnostic:
        """Return that an epoch has another order the second time (D548)."""
        found = self._call.refusal("D548").problems[0]
        return replace(found, severity=Severity.WARNING)


class TrialOverError(Exception):
    """The time is over in which a sampler was to show what it gives."""


def sampler_problems(
    name: str, code: Mapping[str, str], view: TrainingView, setting: str = SETTING
) -> tuple[Diagnostic, ...]:
    """Return what is wrong with a sampler of the user's code, if that shows within a second: one
    that looks at many samples is not waited for. D548 (a warning) is told for one that gives the
    same epoch another order the second time, as one does that keeps a generator: a run that goes on
    after a stop would not have the order of one that was not stopped.
    """
    view.limit(TRIAL_SECONDS)
    try:
        order = CustomOrder(name, code, view, setting)
        first, again = order(0, 0), order(0, 0)
    except DiagnosticError as error:
        return () if isinstance(error.__cause__, TrialOverError) else error.problems
    return () if torch.equal(first, again) else (order.problem_again(),)


class MadeSampler(NamedTuple):
    """A sampler of a class called ``name``, and what it was made with: the samples, where it takes
    them, and what else was given, by name.
    """

    sampler: Any
    name: str
    takes_samples: bool
    given: Mapping[str, Any]

    @property
    def labels(self) -> Tensor | None:
        """The class of each training sample (int64), where it was given."""
        return self.given.get(_LABELS)


def make_sampler(
    cls: Any, call: CustomCall, view: TrainingView, more: Mapping[str, int] = NOTHING_MORE
) -> MadeSampler:
    """Return a sampler of a class, made with the samples, with ``labels`` and with ``more``, each
    where its constructor has a parameter of that name. Raises :class:`DiagnosticError` D549
    where it needs classes and there are none, and whatever the constructor does.
    """
    known = dict(inspect.signature(cls).parameters)
    named = known.pop(_LABELS, None)
    given: dict[str, Any] = {}
    if named is not None:
        labels = view.labels()
        if labels is not None:
            given = {_LABELS: labels}
        elif named.default is inspect.Parameter.empty:
            raise call.refusal("D549")
    given |= {name: value for name, value in more.items() if known.pop(name, None) is not None}
    made = cls(view, **given) if known else cls(**given)
    return MadeSampler(made, call.entry.label, bool(known), given)


def is_position(value: Any, samples: int) -> bool:
    """Return whether a value is the number of one of so many samples."""
    try:
        return 0 <= int(value) < samples
    except (TypeError, ValueError):
        return False
