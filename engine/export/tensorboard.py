"""A run for TensorBoard: its curves, the model and some samples in one event file."""

from itertools import repeat
from pathlib import Path

import numpy as np

from engine.data.load.fit import read_fit
from engine.data.load.load import load_data
from engine.export.event_file import GraphPart, model, read_scalars, scalar, version_record
from engine.export.job import ExportJob
from engine.export.run_record import run_record
from engine.export.sample_records import sample_records
from engine.files import atomic_write
from engine.graph.model import Graph
from engine.model.analysis import analyse
from engine.runs.folder import RunFolder


def write_tensorboard(job: ExportJob, output: Path) -> tuple[tuple[Path, ...], float]:
    """Write the event file; it takes its place only after its numbers were read back. A series
    ``train.loss`` becomes the tag ``train/loss``, the rate of a group ``lr/group 1 (layer4)``.

    Returns the files and the largest difference of a number that is kept (float32).
    Raises :class:`DiagnosticError`.
    """
    record = run_record(job)
    records = [version_record(record.first), model(record.first, graph_parts(job.graph))]
    fit = read_fit(RunFolder.open(job.run).artefacts)
    data = load_data(job.spec.data, job.graph.code, fit, is_normalized=False)
    records += sample_records(data, record.first)
    wanted: list[float] = []
    for curve in record.curves:
        values = curve.values.astype(np.float32).tolist()
        wanted += values
        times, steps = curve.times.tolist(), curve.steps.tolist()
        records += map(scalar, times, steps, repeat(curve.tag), values)
    differences: list[float] = []

    def verify(file: Path) -> None:
        kept = np.asarray([value for _, _, value in read_scalars(file.read_bytes())])
        away = np.abs(np.asarray(wanted) - kept)
        differences.append(float(np.max(away[np.isfinite(away)], initial=0.0)))

    atomic_write(output, b"".join(records), verify)
    return (output,), max(differences)


def graph_parts(graph: Graph) -> list[GraphPart]:
    """Return the nodes of a model with what comes before each, and the shapes as analysed."""
    reports = analyse(graph).nodes
    before: dict[str, list[str]] = {}
    for edge in graph.edges:
        before.setdefault(edge.target, []).append(graph.nodes[edge.source].name)
    return [
        GraphPart(
            name=node.name,
            kind=node.type,
            inputs=tuple(before.get(node.id, ())),
            shapes=tuple(
                tuple(axis if isinstance(axis, int) else -1 for axis in tensor.shape)
                for tensor in (reports[node.id].outputs.values() if node.id in reports else ())
            ),
        )
        for node in graph.nodes.values()
    ]
