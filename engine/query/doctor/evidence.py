"""Evidence of the doctor: what was measured of a model on some batches."""

from dataclasses import dataclass, field

from engine.diagnostics import Diagnostic

Verdict = tuple[Diagnostic, ...] | None
"""What a rule found; None where there is nothing to judge by: that is not said to be all right."""


@dataclass(frozen=True, kw_only=True)
class Units:
    """The units after an activation that cuts off (``ReLU``): ``silent`` of ``total`` gave zero for
    every sample. ``module`` is the name as in ``named_modules``.
    """

    module: str
    silent: int
    total: int


@dataclass(frozen=True, kw_only=True)
class Weight:
    """A parameter that is trained: its norm, that of its gradient (None: none was made) and that of
    the change which the optimizer's step made, means over some steps. ``phase`` is the number of
    the phase that trains it, from 0.
    """

    name: str
    norm: float
    gradient: float | None
    change: float
    phase: int = 0

    @property
    def module(self) -> str:
        """The module that it belongs to."""
        return self.name.rpartition(".")[0]

    @property
    def has_size(self) -> bool:
        """Whether its size says something: a bias begins at or near zero."""
        return self.norm > 0 and "weight" in self.name.rpartition(".")[2]


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """Measurements. ``losses`` are those of the steps on one and the same batch by the ``phases``
    that train together, the first before any of them; ``expected`` is the loss of guessing, where
    that is known; ``untrained`` are the parameters that no phase trains. ``counts`` are
    the training samples by class, ``is_weighted`` whether loss or sampler makes up for them,
    ``shared`` the samples that two parts (by their names) have in common, of those ``compared`` of
    all ``samples``; ``is_mixed`` says that the answer for one sample depends on others in the batch
    (None: it has only one).
    """

    is_begun: bool = False  # trained before
    phases: tuple[int, ...] = (0,)
    losses: tuple[float, ...] = ()
    expected: float | None = None
    units: tuple[Units, ...] = ()
    weights: tuple[Weight, ...] = ()
    untrained: tuple[str, ...] = ()
    classes: tuple[str, ...] = ()
    counts: tuple[int, ...] = ()
    is_weighted: bool = False
    shared: dict[tuple[str, str], int] = field(default_factory=dict)
    compared: int = 0
    samples: int = 0
    is_mixed: bool | None = None
    samples_per_s: float = 0.0
