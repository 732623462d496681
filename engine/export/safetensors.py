"""Weights in the safetensors format: no code can be in it, and other frameworks read it."""

from pathlib import Path

from torch import Tensor

from engine.archive.weights import KEY, PRODUCER, digest
from engine.export.job import ExportJob
from engine.export.load import apply_weights, read_weights
from engine.export.preparation import PREPARATION, preparation_text
from engine.export.verify import require_equal
from engine.files import atomic_write


def write_safetensors(job: ExportJob, output: Path) -> tuple[tuple[Path, ...], float]:
    """Write the weights; they take their place only after they were read back and compared.

    Returns the files and the largest difference. Raises :class:`DiagnosticError`.
    """
    differences: list[float] = []

    def verify(file: Path) -> None:
        module = job.empty_module()
        apply_weights(read_weights(file)[1], module)
        batches = job.random_batches()
        differences.append(require_equal(job.module, module.eval(), batches, output.name))

    atomic_write(output, safetensors_content(job, output, job.weights()), verify)
    return (output,), max(differences)


def safetensors_content(job: ExportJob, output: Path, weights: dict[str, Tensor]) -> bytes:
    """Return weights as a file, with how inputs are prepared and a checksum."""
    from safetensors.torch import save

    metadata = {"format": "pt", "producer": PRODUCER}
    metadata[PREPARATION] = preparation_text(job, output.name)
    metadata[KEY] = digest(weights, metadata)
    return save(weights, metadata)
