"""Content of a checkpoint of a run by name, the same for evaluation, export and resuming."""

from torch import Tensor

from engine.diagnostics import DiagnosticError
from engine.runs.folder import RunFolder
from engine.runs.recorded_checkpoint import find_checkpoint
from engine.spec.technique import AVERAGED, RAW, AveragingSpec
from engine.train.checkpoint.file import Checkpoint, is_state_dict, load_checkpoint


def open_checkpoint(run: RunFolder, wanted: str) -> Checkpoint:
    """Return the content of the checkpoint that :func:`find_checkpoint` finds.

    Its model has the weights that the name asks for, else those that the run evaluates.

    Raises :class:`DiagnosticError`: K013 or K015, or with what is wrong with the file; R432 for an
    average that there is not.
    """
    info = find_checkpoint(run, wanted)
    file, _, kind = info.file.partition(":")
    content = load_checkpoint(run.checkpoints / file, info.sha256)
    if kind:
        content.model = _weights(content, run.document.spec.averaging, kind, file)
    return content


def _weights(content: Checkpoint, spec: AveragingSpec, kind: str, file: str) -> dict[str, Tensor]:
    """Return the weights that train (``raw``) or their average."""
    state = content.techniques.get("averaging")
    other = state.get("model") if isinstance(state, dict) and state.get("updates") else None
    if spec.kind == "none" or not is_state_dict(other):  # no average, or of no step yet
        if kind == RAW:
            return content.model
        raise DiagnosticError.of("R432", file=file)
    return content.model if spec.evaluate == (kind == AVERAGED) else other
