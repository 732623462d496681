"""Differences between a checkpoint and what a run needs: weights, and settings."""

from collections.abc import Mapping

from torch import Tensor

from engine.decoding import decode_json
from engine.diagnostics import Diagnostic, DiagnosticError
from engine.spec import codec
from engine.spec.choice import Code
from engine.spec.difference import listed, settings_difference


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
        "missing": listed(name for name in needed if name not in found),
        "unknown": listed(name for name in found if name not in needed),
        "reshaped": listed(reshaped),
    }


def changed_settings(before: str, now: str, code: Code) -> str:
    """Return the settings that differ between two specifications (JSON documents), each with both
    values; empty where all that differs is where the data lies. Raises :class:`DiagnosticError` for
    a document that is none.
    """
    found, needed = (codec.from_document(decode_json(text, object)) for text in (before, now))
    different = settings_difference(found, needed, code)
    return listed(different) if different else ""


def unfit_checkpoint(
    file: str, found: Mapping[str, Tensor], needed: Mapping[str, Tensor], error: Exception
) -> DiagnosticError:
    """Return what is raised (K012) where a checkpoint cannot be put into what a run has built."""
    params = weight_difference(found, needed) | {"file": file}
    return DiagnosticError(Diagnostic(code="K012", params=params, detail=str(error)))


def _shape(tensor: Tensor) -> str:
    return "×".join(map(str, tensor.shape)) or "()"
