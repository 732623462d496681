"""Weights as ``torch.save`` writes them: ``model.load_state_dict(torch.load(file))``."""

from pathlib import Path

import torch

from engine.export.job import ExportJob
from engine.export.load import apply_weights, read_weights
from engine.export.verify import require_equal
from engine.files import WriteTarget, atomic_write


def write_state_dict(job: ExportJob, output: Path) -> tuple[tuple[Path, ...], float]:
    """Write the weights; they take their place only after they were read back and compared.

    Returns the files and the largest difference. Raises :class:`DiagnosticError`.
    """
    differences: list[float] = []

    def write(target: WriteTarget) -> None:
        torch.save(job.weights(), target)  # pyright: ignore[reportArgumentType] - it only writes and flushes

    def verify(file: Path) -> None:
        module = job.empty_module()
        apply_weights(read_weights(file)[1], module)
        batches = job.random_batches()
        differences.append(require_equal(job.module, module.eval(), batches, output.name))

    atomic_write(output, write, verify)
    return (output,), max(differences)
