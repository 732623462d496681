"""Measuring a checkpoint of a run on a part of its data, as the run itself does."""

from typing import Literal

import msgspec

from engine.build.module import to_module
from engine.diagnostics import Diagnostic, DiagnosticError
from engine.runs.folder import RunFolder
from engine.spec.run import RunSpec
from engine.train.devices import pick_device, run_settings
from engine.train.difference import weight_difference
from engine.train.lookup import open_checkpoint
from engine.train.loop import evaluate_part
from engine.train.training import build_training

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
    content = open_checkpoint(folder, checkpoint)
    graph = folder.document.graph
    spec = _for_this_machine(folder.document.spec)
    with run_settings(spec):
        training = build_training(graph, spec, to_module(graph))
        try:
            training.model.load_state_dict(content.model)
        except RuntimeError as error:
            params = weight_difference(content.model, training.model.state_dict())
            params["file"] = checkpoint
            problem = Diagnostic(code="K012", params=params, detail=str(error))
            raise DiagnosticError(problem) from error
        values = evaluate_part(training, split)
    if not values:
        raise DiagnosticError(Diagnostic(code="K014", params={"split": split}))
    return {f"{split}.{name}": value for name, value in values.items()}


def _for_this_machine(spec: RunSpec) -> RunSpec:
    """Return a specification that can be measured here, also when its device is elsewhere."""
    try:
        pick_device(spec.device)
    except DiagnosticError:
        return msgspec.structs.replace(spec, device="auto")
    return spec
