"""Question about the learning rates of a run, and its report."""

import msgspec

from engine.query.request import Request
from engine.spec.run import RunSpec


class LrPreview(msgspec.Struct, frozen=True, kw_only=True):
    """The learning rates at the beginning of some steps, from really stepping the scheduler:
    ``values`` for each group of parameters, the rest first.
    """

    steps: tuple[int, ...]
    values: tuple[tuple[float, ...], ...]


class PreviewLr(Request[LrPreview], frozen=True, kw_only=True):
    """The learning-rate curve of a specification; ``steps_per_epoch`` 0: from the data."""

    spec: RunSpec
    steps_per_epoch: int = 0
    code: dict[str, str] = msgspec.field(default_factory=dict)

    handler = "engine.query.rate.answer.learning_rate_curve"
    custom_code = "texts"
    is_slow = True
    supersedes = True
