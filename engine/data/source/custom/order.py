"""Order of the samples of an epoch by a sampler of the user's code."""

import inspect
import math
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from engine.data.seed import all_seeded, mixed_seed
from engine.data.source.custom.opened import load_named
from engine.diagnostics import Diagnostic, DiagnosticError

SETTING = "data.source.sampler"
"""Where a sampler of the user's code is chosen."""

_TRIAL_SECONDS = 1.0


class CustomOrder:
    """The positions of the samples of an epoch in the training part, as the user's sampler gives
    them: from seed and epoch alone, where it draws by PyTorch, Python or NumPy. ``seconds`` is how
    long it may look at samples and yield positions.

    Raises :class:`DiagnosticError` as :func:`engine.data.source.custom.opened.load_named` does,
    D520 where the sampler fails, and :class:`TrialOverError` where ``seconds`` are over.
    """

    def __init__(
        self,
        name: str,
        code: Mapping[str, str],
        item: Callable[[int], Any],
        training: Sequence[int],
        seconds: float = math.inf,
    ) -> None:
        cls, self._call = load_named(name, code, SETTING)
        self._until = time.monotonic() + seconds
        self._view = _TrainingView(item, training, self._until)
        with self._call.reported("D520"):
            takes_data = bool(inspect.signature(cls).parameters)
            self._sampler = cls(self._view) if takes_data else cls()

    def __call__(self, seed: int, epoch: int) -> Tensor:
        """Return the positions (int64) of an epoch. Raises :class:`DiagnosticError`: D520 for what
        the sampler raises, D257 for positions that are none, or another number than there are.
        """
        samples = len(self._view)
        with self._call.reported("D520"), all_seeded(mixed_seed(seed, epoch)):
            if hasattr(self._sampler, "set_epoch"):
                self._sampler.set_epoch(epoch)
            positions: list[Any] = []
            for position in self._sampler:
                _require_time(self._until)
                positions.append(position)
                if len(positions) > samples:
                    break
        wrong = next((each for each in positions if not _is_position(each, samples)), None)
        if wrong is not None or len(positions) != samples:
            raise self._call.refusal(
                "D257",
                value=str(wrong)[:40] if wrong is not None else "–",
                count=len(positions),
                samples=samples,
            )
        return torch.tensor([int(position) for position in positions])


class TrialOverError(Exception):
    """The time is over in which a sampler was to show what it gives."""


def sampler_problems(
    name: str, code: Mapping[str, str], item: Callable[[int], Any], training: Sequence[int]
) -> tuple[Diagnostic, ...]:
    """Return what is wrong with a sampler of the user's code, if that shows within a second: one
    that looks at many samples is not waited for.
    """
    try:
        CustomOrder(name, code, item, training, _TRIAL_SECONDS)(0, 0)
    except DiagnosticError as error:
        return () if isinstance(error.__cause__, TrialOverError) else error.problems
    return ()


def _require_time(until: float) -> None:
    if time.monotonic() > until:
        raise TrialOverError


def _is_position(value: Any, samples: int) -> bool:
    try:
        return 0 <= int(value) < samples
    except (TypeError, ValueError):
        return False


class _TrainingView:
    """The training samples, as a sampler looks at them."""

    def __init__(self, item: Callable[[int], Any], indices: Sequence[int], until: float) -> None:
        self._item = item
        self._indices = indices
        self._until = until

    def __len__(self) -> int:
        """Return the number of training samples."""
        return len(self._indices)

    def __getitem__(self, position: int) -> Any:
        """Return a sample as the user's class gives it."""
        _require_time(self._until)
        return self._item(self._indices[position])
