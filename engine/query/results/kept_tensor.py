"""The tensors that a checkpoint keeps: what is left of a run that is over."""

import msgspec

from engine.diagnostics import Diagnostic, DiagnosticError
from engine.inspect.tensor_observer import capture_tensor, existing_tensor, list_tensors
from engine.query.trained import Trained
from engine.runs.record.tensor_capture import CapturedTensor, TensorKind, TensorListing
from engine.train.checkpoint.difference import unfit_checkpoint
from engine.train.checkpoint.lookup import open_checkpoint
from engine.train.checkpoint.restored import fitted_optimizer

_KEPT: tuple[TensorKind, ...] = ("parameter", "buffer", "state")


def take_state(trained: Trained) -> Trained:
    """Give the optimizer of an opened checkpoint the state that the checkpoint keeps.

    Raises :class:`DiagnosticError` with what is wrong with the file, K012 where it does not fit.
    """
    content = open_checkpoint(trained.run, trained.info.file)
    training = trained.training
    try:
        state = fitted_optimizer(training.optimizer, content.optimizer)
        training.optimizer.load_state_dict(state)
    except (ValueError, RuntimeError) as error:
        own = training.model.state_dict()
        raise unfit_checkpoint(trained.info.file, content.model, own, error) from error
    return trained


def list_kept(trained: Trained) -> TensorListing:
    """Return parameters, buffers and the state of the optimizer (see :func:`take_state`)."""
    training = trained.training
    found = list_tensors(training.model, training.optimizer, (), ())
    return TensorListing(tensors=tuple(each for each in found if each.kind in _KEPT))


def take_kept(trained: Trained, kind: TensorKind, name: str) -> CapturedTensor:
    """Return one of the tensors that :func:`list_kept` names.

    Raises :class:`DiagnosticError` A021 where there is none like it.
    """
    training = trained.training
    tensor = existing_tensor(training.model, training.optimizer, kind, name)
    if tensor is None or kind not in _KEPT:
        raise DiagnosticError(Diagnostic(code="A021", params={"kind": kind, "name": name}))
    captured = capture_tensor(kind, name, tensor)
    return msgspec.structs.replace(captured, step=trained.info.step)
