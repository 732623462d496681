"""Measuring a checkpoint of a run on a part of its data, as the run itself does."""

from typing import Literal

from engine.diagnostics import Diagnostic, DiagnosticError
from engine.query.trained import open_trained
from engine.runs.folder import RunFolder
from engine.train.loop import evaluate_part

Split = Literal["train", "validation", "test"]


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
