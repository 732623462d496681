"""Question about the metrics of a checkpoint."""

from engine.query.evaluation.report import Evaluation
from engine.query.request import Request, Split


class Evaluate(Request[Evaluation], frozen=True, kw_only=True, tag="Evaluate"):
    """Loss and metrics of a checkpoint; ``checkpoint`` is ``best``, ``last`` or a file name."""

    run_folder: str
    checkpoint: str = "best"
    split: Split = "test"

    answer_type = Evaluation
    handler = "engine.query.evaluation.answer.answer"
    custom_code = "run"
    is_slow = True
