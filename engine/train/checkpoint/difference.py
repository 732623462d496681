"""Differences between the weights of a checkpoint and those that a model needs."""

from collections.abc import Iterable, Mapping

from torch import Tensor

from engine.diagnostics import Diagnostic, DiagnosticError

_SHOWN = 5
_NOTHING = "—"


def weight_difference(
    found: Mapping[str, Tensor], needed: Mapping[str, Tensor]
) -> dict[str, str | int | float]:
    """Return the values of a finding: names that are ``missing`` in the checkpoint, that are
    ``unknown`` to the model, and that are ``reshaped``, with both shapes.
    """
    reshaped = (
        f"{name} ({_shape(found[name])} ≠ {_shape(needed[name])})"
        for name in needed
        if name in found and found[name].shape != needed[name].shape
    )
    return {
        "missing": _listed(name for name in needed if name not in found),
        "unknown": _listed(name for name in found if name not in needed),
        "reshaped": _listed(reshaped),
    }


def unfit_checkpoint(
    file: str, found: Mapping[str, Tensor], needed: Mapping[str, Tensor], error: Exception
) -> DiagnosticError:
    """Return what is raised (K012) where a checkpoint cannot be put into what a run has built."""
    params = weight_difference(found, needed) | {"file": file}
    return DiagnosticError(Diagnostic(code="K012", params=params, detail=str(error)))


def _listed(names: Iterable[str]) -> str:
    listed = list(names)
    more = [f"… ({len(listed) - _SHOWN})"] if len(listed) > _SHOWN else []
    return ", ".join([*listed[:_SHOWN], *more]) or _NOTHING


def _shape(tensor: Tensor) -> str:
    return "×".join(map(str, tensor.shape)) or "()"
