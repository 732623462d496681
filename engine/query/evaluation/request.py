"""Question about the metrics of a checkpoint, and its report."""

import msgspec

from engine.diagnostics import Diagnostic
from engine.query.request import Request, Split
from engine.query.results.number_score import NumberScore
from engine.spec.technique import ViewKind


class Evaluation(msgspec.Struct, frozen=True, kw_only=True):
    """Loss and metrics of a checkpoint on one part of the data, by series (``test.accuracy``);
    ``columns`` are the errors of each of several numbers that have names. ``notices`` tell of
    samples that came or went since the run divided them.
    """

    run: str
    checkpoint: str
    split: str
    metrics: dict[str, float]
    columns: tuple[NumberScore, ...] = ()
    samples: int = 0
    notices: tuple[Diagnostic, ...] = ()


class Evaluate(Request[Evaluation], frozen=True, kw_only=True):
    """Loss and metrics of a checkpoint; ``checkpoint`` is ``best``, ``last`` or a file name.
    The answer
    is the mean over ``views`` of each sample, 0 for as many as the run says; of which kind, too.
    """

    run_folder: str
    checkpoint: str = "best"
    split: Split = "test"
    views: int = 0
    view_kind: ViewKind | None = None

    handler = "engine.query.evaluation.answer.answer"
    custom_code = "run"
    is_slow = True
