"""Loss and metrics of a checkpoint on one part of the data, as the run itself measures them."""

from pathlib import Path

from engine.data.preview import describe
from engine.diagnostics import Diagnostic, DiagnosticError
from engine.query.evaluation.report import Evaluation
from engine.query.evaluation.request import Evaluate
from engine.query.request import Split
from engine.query.trained import open_trained
from engine.runs.folder import RunFolder
from engine.train.checkpoint.lookup import find_checkpoint
from engine.train.loop import evaluate_part


def answer(request: Evaluate) -> Evaluation:
    """Return loss and metrics of a checkpoint of a run. Raises as :func:`evaluate`."""
    run = RunFolder.open(Path(request.run_folder))
    info = find_checkpoint(run, request.checkpoint)
    part = describe(run.document.spec.data).part(request.split)
    return Evaluation(
        run=run.id,
        checkpoint=info.file,
        split=request.split,
        metrics=evaluate(run, info.file, request.split),
        samples=part.samples if part else 0,
    )


def evaluate(
    folder: RunFolder, checkpoint: str = "last", split: Split = "test"
) -> dict[str, float]:
    """Return mean loss and measures (``test.loss``, ``test.accuracy``) of a checkpoint.

    ``checkpoint`` is ``last``, ``best`` or a file name in the run's folder. A run of a device that
    is not here is measured on what is.
    Raises :class:`DiagnosticError`: K013 or K015 when there is no such checkpoint, K014 for an
    empty part, or with what is wrong with the file.
    """
    with open_trained(folder, checkpoint).in_use() as training:
        values = evaluate_part(training, split)
    if not values:
        raise DiagnosticError(Diagnostic(code="K014", params={"split": split}))
    return {f"{split}.{name}": value for name, value in values.items()}
