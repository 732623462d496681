"""Texts without a token among samples of the user's own: their predictions say nothing."""

from collections.abc import Sequence

import torch

from engine.diagnostics import Diagnostic, Severity
from engine.query.predicting.given import GivenSample, given_inputs
from engine.query.predicting.texts import is_text
from engine.train.training import Training

_SHOWN = 3


class EmptyTexts:
    """Counts the samples all of whose inputs are texts without a token."""

    def __init__(self, training: Training) -> None:
        inputs = given_inputs(training)
        are_texts = bool(inputs) and all(is_text(training, info) for info in inputs)
        self._nothing = {info.name: torch.tensor(info.filled(())) for info in inputs if are_texts}
        self._count = 0
        self._first: list[str] = []

    def look(self, samples: Sequence[GivenSample]) -> None:
        """Look at samples."""
        for sample in samples if self._nothing else ():
            if all(torch.equal(sample.values[name], of) for name, of in self._nothing.items()):
                self._count += 1
                self._first += [sample.name] if len(self._first) < _SHOWN else []

    def notices(self) -> tuple[Diagnostic, ...]:
        """Return a warning where there are some."""
        if not self._count:
            return ()
        more = self._count - len(self._first)
        names = ", ".join(self._first) + (f" (+{more:,})" if more else "")
        told = Diagnostic.of("D729", severity=Severity.WARNING, count=self._count, names=names)
        return (told,)
