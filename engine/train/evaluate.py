"""Measuring a checkpoint of a run on a part of its data, as the run itself does."""

from typing import Literal

import msgspec

from engine.build.module import to_module
from engine.diagnostics import Diagnostic, DiagnosticError
from engine.runs.folder import RunFolder
from engine.runs.follow import read_state
from engine.spec.run import RunSpec
from engine.train.checkpoint import Checkpoint, load_checkpoint
from engine.train.devices import pick_device, run_settings
from engine.train.loop import evaluate_part
from engine.train.training import build_training

Split = Literal["train", "validation", "test"]


def evaluate(
    folder: RunFolder, checkpoint: str = "last", split: Split = "test"
) -> dict[str, float]:
    """Return mean loss and measures (``test.loss``, ``test.accuracy``) of a checkpoint.

    ``checkpoint`` is ``last``, ``best`` or a file name in the run's folder. A run of a device that
    is not here is measured on what is.
    Raises :class:`DiagnosticError`: K013 when there is no such checkpoint, K014 for an empty part,
    or with what is wrong with the file.
    """
    content = open_checkpoint(folder, checkpoint)
    graph = folder.document.graph
    spec = _for_this_machine(folder.document.spec)
    with run_settings(spec):
        training = build_training(graph, spec, to_module(graph))
        try:
            training.model.load_state_dict(content.model)
        except RuntimeError as error:
            problem = Diagnostic(code="K012", params={"file": checkpoint}, detail=str(error))
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


def open_checkpoint(folder: RunFolder, checkpoint: str) -> Checkpoint:
    """Return a checkpoint of a run: ``last``, ``best`` or a file name in its folder.

    Raises :class:`DiagnosticError`: K013 when there is no such checkpoint, or with what is wrong
    with the file.
    """
    state = read_state(folder)
    known = {info.file: info for info in state.checkpoints}
    chosen = {"last": state.last, "best": state.best or state.last}.get(
        checkpoint, known.get(checkpoint)
    )
    name = chosen.file if chosen else checkpoint
    path = folder.checkpoints / name
    if path.parent != folder.checkpoints or not path.is_file():
        params: dict[str, str | int | float] = {"file": name, "run": folder.document.name}
        raise DiagnosticError(Diagnostic(code="K013", params=params))
    return load_checkpoint(path, chosen.sha256 if chosen else "")
