"""Loss and metrics of a checkpoint on one part of the data, as the run itself measures them."""

from pathlib import Path

from engine.diagnostics import DiagnosticError
from engine.query.evaluation.request import Evaluate, Evaluation
from engine.query.results.column_errors import OutputErrors
from engine.query.trained import open_trained
from engine.runs.folder import RunFolder
from engine.spec.view_rule import OVER_VIEWS
from engine.train.part_evaluation import evaluate_part
from engine.train.training import named


def answer(request: Evaluate) -> Evaluation:
    """Return mean loss and metrics (``test.loss``, ``test.accuracy``) of a checkpoint of a run, and
    the same over views of each sample (``test_views.loss``) where there are some. A run of a device
    that is not here is measured on what is.

    Raises :class:`DiagnosticError`: K013 or K015 when there is no such checkpoint, K014 for an
    empty split, or with what is wrong with the file.
    """
    run, split = RunFolder.open(Path(request.run_folder)), request.split
    trained = open_trained(
        run, request.checkpoint, views=request.views, view_kind=request.view_kind
    )
    beside: dict[str, float] = {}
    with trained.in_use() as training:
        errors = OutputErrors(training)
        values = evaluate_part(training, split, observe=errors.add)
        if training.spec.test_time.is_on:
            found = evaluate_part(training, split, has_views=True) or {}
            beside = named(OVER_VIEWS.format(part=split), found)
    if not values:
        raise DiagnosticError.of("K014", split=split)
    return Evaluation(
        run=run.id,
        checkpoint=trained.info.file,
        split=split,
        metrics=named(split, values) | beside,
        columns=errors.columns(),
        samples=training.data.samples(split),
        notices=(*training.data.problems, *training.data.doubts),
    )
