"""Weights that a run began with, where they came from files: beside exported training code."""

from contextlib import suppress
from pathlib import Path

import torch
from torch import Tensor

from engine.archive.weights import start_from
from engine.diagnostics import DiagnosticError
from engine.export.job import ExportJob
from engine.files import WriteTarget, atomic_write, confined
from engine.runs.folder import RunFolder
from engine.spec.weight_name import names_in_file
from engine.train.tensor_file import start_from_files


def start_weights(job: ExportJob) -> dict[str, Tensor]:
    """Return the weights that files gave to the new model of a run, by name; none where there are
    no such files any more.
    """
    with suppress(DiagnosticError):
        project = RunFolder.open(job.run).project
        module = job.empty_module()
        before = {name: value.clone() for name, value in module.state_dict().items()}
        start_from_files(module, job.graph, project)
        if job.spec.weights:
            names = names_in_file(job.spec, job.graph)
            start_from(module, confined(project, job.spec.weights), names)
        return {
            name: value.clone()
            for name, value in module.state_dict().items()
            if not torch.equal(value, before[name])
        }
    return {}


def write_start(weights: dict[str, Tensor], output: Path) -> None:
    """Write them. Raises :class:`DiagnosticError` where that fails."""

    def write(target: WriteTarget) -> None:
        torch.save(weights, target)  # pyright: ignore[reportArgumentType] - it only writes and flushes

    atomic_write(output, write)
