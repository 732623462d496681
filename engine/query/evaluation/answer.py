"""Loss and metrics of a checkpoint on one part of the data, as the run itself measures them."""

from pathlib import Path

from engine.diagnostics import DiagnosticError
from engine.query.evaluation.request import Evaluate, Evaluation
from engine.query.trained import open_trained
from engine.runs.folder import RunFolder
from engine.train.loop import evaluate_part


def answer(request: Evaluate) -> Evaluation:
    """Return mean loss and metrics (``test.loss``, ``test.accuracy``) of a checkpoint of a run. A
    run of a device that is not here is measured on what is.

    Raises :class:`DiagnosticError`: K013 or K015 when there is no such checkpoint, K014 for an
    empty split, or with what is wrong with the file.
    """
    run, split = RunFolder.open(Path(request.run_folder)), request.split
    trained = open_trained(run, request.checkpoint)
    with trained.in_use() as training:
        values = evaluate_part(training, split)
    if not values:
        raise DiagnosticError.of("K014", split=split)
    return Evaluation(
        run=run.id,
        checkpoint=trained.info.file,
        split=split,
        metrics={f"{split}.{name}": value for name, value in values.items()},
        samples=training.data.samples(split),
        notices=(*training.data.problems, *training.data.doubts),
    )
