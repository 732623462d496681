"""Weights in half the memory, as ``model.half()`` (float16) or ``model.bfloat16()`` has them."""

from collections.abc import Callable
from pathlib import Path

import torch
from torch import Tensor, nn
from typing_extensions import override

from engine.diagnostics import DiagnosticError
from engine.export.job import ExportJob
from engine.export.load import apply_weights, read_weights
from engine.export.safetensors import safetensors_content
from engine.export.verify import largest_difference
from engine.files import WriteTarget, atomic_write


def write_half(job: ExportJob, output: Path) -> tuple[tuple[Path, ...], float]:
    """Write the weights as float16, for ``model.half()``; they take their place only after they
    were read back into such a model and it went forward.

    Returns the files and the largest difference from the outputs in float32. Raises
    :class:`DiagnosticError`: X028 for a weight that float16 cannot hold, X029 for a model that
    does not compute in it.
    """
    weights = _rounded(job, torch.float16)

    def write(target: WriteTarget) -> None:
        torch.save(weights, target)  # pyright: ignore[reportArgumentType] - it only writes and flushes

    return _written(job, output, torch.float16, write)


def write_half_safetensors(job: ExportJob, output: Path) -> tuple[tuple[Path, ...], float]:
    """Write the weights as float16 in the safetensors format, as :func:`write_half`."""
    weights = _rounded(job, torch.float16)
    return _written(job, output, torch.float16, safetensors_content(job, output, weights))


def write_bfloat16(job: ExportJob, output: Path) -> tuple[tuple[Path, ...], float]:
    """Write the weights as bfloat16 in the safetensors format, for ``model.bfloat16()``, as
    :func:`write_half`.
    """
    weights = _rounded(job, torch.bfloat16)
    return _written(job, output, torch.bfloat16, safetensors_content(job, output, weights))


def _rounded(job: ExportJob, dtype: torch.dtype) -> dict[str, Tensor]:
    return {name: _halved(name, value, dtype) for name, value in job.weights().items()}


def _written(
    job: ExportJob,
    output: Path,
    dtype: torch.dtype,
    content: bytes | Callable[[WriteTarget], None],
) -> tuple[tuple[Path, ...], float]:
    differences: list[float] = []

    def verify(file: Path) -> None:
        module = job.empty_module().to(dtype)
        apply_weights(read_weights(file)[1], module)
        try:
            found = largest_difference(
                job.module, _Half(module.eval(), dtype), job.random_batches()
            )
        except RuntimeError as error:
            name = str(dtype).removeprefix("torch.")
            raise DiagnosticError.of("X029", dtype=name, detail=str(error)) from error
        differences.append(found)

    atomic_write(output, content, verify)
    return (output,), max(differences)


class _Half(nn.Module):
    """Takes and gives what its inputs are in where the model within computes in ``dtype``."""

    def __init__(self, model: nn.Module, dtype: torch.dtype) -> None:
        super().__init__()
        self.model = model
        self.dtype = dtype

    @override
    def forward(self, *inputs: Tensor) -> Tensor | tuple[Tensor, ...]:
        outputs = self.model(*(_cast(value, self.dtype) for value in inputs))
        wide = torch.float64 if any(x.dtype is torch.float64 for x in inputs) else torch.float32
        if isinstance(outputs, Tensor):
            return _cast(outputs, wide)
        return tuple(_cast(value, wide) for value in outputs)


def _cast(value: Tensor, dtype: torch.dtype) -> Tensor:
    return value.to(dtype) if value.is_floating_point() else value


def _halved(name: str, value: Tensor, dtype: torch.dtype) -> Tensor:
    half = _cast(value, dtype)
    if half.is_floating_point() and bool((half.isinf() & value.isfinite()).any()):
        raise DiagnosticError.of(
            "X028",
            name=name,
            value=f"{float(value.abs().max()):.3g}",
            dtype=str(dtype).removeprefix("torch."),
            most=f"{torch.finfo(dtype).max:.6g}",
        )
    return half
