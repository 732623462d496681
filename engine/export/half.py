"""Weights in half the memory: what ``model.half()`` makes of them (float16)."""

from pathlib import Path

import torch
from torch import Tensor, nn
from typing_extensions import override

from engine.diagnostics import DiagnosticError
from engine.export.job import ExportJob
from engine.export.load import apply_weights, read_weights
from engine.export.verify import largest_difference
from engine.files import WriteTarget, atomic_write


def write_half(job: ExportJob, output: Path) -> tuple[tuple[Path, ...], float]:
    """Write the weights as float16, for ``model.half()``; they take their place only after they
    were read back into such a model and it went forward.

    Returns the files and the largest difference from the outputs in float32. Raises
    :class:`DiagnosticError`: X028 for a weight that float16 cannot hold, X029 for a model that
    does not compute in it.
    """
    differences: list[float] = []
    weights = {name: _halved(name, value) for name, value in job.weights().items()}

    def write(target: WriteTarget) -> None:
        torch.save(weights, target)  # pyright: ignore[reportArgumentType] - it only writes and flushes

    def verify(file: Path) -> None:
        module = job.empty_module().half()
        apply_weights(read_weights(file)[1], module)
        try:
            found = largest_difference(job.module, _Half(module.eval()), job.random_batches())
        except RuntimeError as error:
            raise DiagnosticError.of("X029", detail=str(error)) from error
        differences.append(found)

    atomic_write(output, write, verify)
    return (output,), max(differences)


class _Half(nn.Module):
    """Takes and gives what its inputs are in where the model within computes in float16."""

    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.model = model

    @override
    def forward(self, *inputs: Tensor) -> Tensor | tuple[Tensor, ...]:
        outputs = self.model(*(_cast(value, torch.float16) for value in inputs))
        wide = torch.float64 if any(x.dtype is torch.float64 for x in inputs) else torch.float32
        if isinstance(outputs, Tensor):
            return _cast(outputs, wide)
        return tuple(_cast(value, wide) for value in outputs)


def _cast(value: Tensor, dtype: torch.dtype) -> Tensor:
    return value.to(dtype) if value.is_floating_point() else value


def _halved(name: str, value: Tensor) -> Tensor:
    half = _cast(value, torch.float16)
    if half.is_floating_point() and bool((half.isinf() & value.isfinite()).any()):
        raise DiagnosticError.of(
            "X028",
            name=name,
            value=f"{float(value.abs().max()):.3g}",
            most=f"{torch.finfo(torch.float16).max:.0f}",
        )
    return half
