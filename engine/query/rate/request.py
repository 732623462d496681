"""The question which learning rates a run will have."""

from engine.query.rate.report import LrPreview
from engine.query.request import Request
from engine.spec.run import RunSpec


class PreviewLr(Request[LrPreview], frozen=True, kw_only=True, tag="PreviewLr"):
    """The learning-rate curve of a specification; ``steps_per_epoch`` 0: from the data."""

    spec: RunSpec
    steps_per_epoch: int = 0

    answer_type = LrPreview
    handler = "engine.query.rate.answer.answer"
    is_slow = True
    supersedes = True
