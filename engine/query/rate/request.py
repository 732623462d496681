"""Question about the learning rates of a run."""

from engine.query.rate.report import LrPreview
from engine.query.request import Request
from engine.spec.run import RunSpec


class PreviewLr(Request[LrPreview], frozen=True, kw_only=True, tag="PreviewLr"):
    """The learning-rate curve of a specification; ``steps_per_epoch`` 0: from the data."""

    spec: RunSpec
    steps_per_epoch: int = 0

    answer_type = LrPreview
    handler = "engine.query.rate.answer.learning_rate_curve"
    is_slow = True
    supersedes = True
