"""One tensor as a file of PyTorch: ``torch.load(file, weights_only=True)`` gives it back."""

from pathlib import Path

import numpy as np
import torch

from engine.diagnostics import DiagnosticError
from engine.files import WriteTarget, atomic_write


def write_tensor(file: Path, array: np.ndarray, dtype: str) -> None:
    """Write a tensor; ``dtype`` is what PyTorch calls the type that it had, where numpy lacks it.
    The file takes its place only after it was read back and compared.

    Raises :class:`DiagnosticError` A022 when it does not read back, or the file findings.
    """
    tensor = torch.from_numpy(array.copy())
    known = getattr(torch, dtype, None)
    if isinstance(known, torch.dtype):
        tensor = tensor.to(known)

    def write(target: WriteTarget) -> None:
        torch.save(tensor, target)  # pyright: ignore[reportArgumentType] - it only writes and flushes

    def verify(written: Path) -> None:
        again = torch.load(written, weights_only=True)
        is_alike = (again.dtype, again.shape) == (tensor.dtype, tensor.shape)
        if not is_alike or not torch.equal(_bytes(again), _bytes(tensor)):
            raise DiagnosticError.of("A022", file=file.name)

    atomic_write(file, write, verify)


def _bytes(tensor: torch.Tensor) -> torch.Tensor:
    """Return the bytes of the elements: NaN is like NaN there."""
    return tensor.reshape(-1).contiguous().view(torch.uint8)
