"""A run for TensorBoard: its curves, the model and some samples in one event file."""

from collections.abc import Iterator
from itertools import repeat
from pathlib import Path

import numpy as np

from engine.data.load.fit import read_fit
from engine.data.load.load import load_data
from engine.export.event_file import (
    GraphPart,
    Setting,
    ending,
    histogram,
    model,
    read_scalars,
    scalar,
    settings,
    version_record,
)
from engine.export.job import ExportJob
from engine.export.run_record import RunRecord, run_record
from engine.export.sample_records import sample_records
from engine.files import atomic_write
from engine.graph.model import Graph
from engine.model.analysis import analyse
from engine.runs.folder import RunFolder
from engine.runs.record.statistic import BINS, Kind, Statistic, StatisticHistory
from engine.runs.record.store import RunStore

MOST_HISTOGRAMS = 200
"""Of one tensor: TensorBoard itself shows no more than a few hundred."""

_FAILED = ("failed", "died")
_GROUPS = {
    Kind.WEIGHT: "weights",
    Kind.GRADIENT: "gradients",
    Kind.UPDATE: "updates",
    Kind.ACTIVATION: "activations",
}


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
    records += _setting_records(record)
    records += _histogram_records(job, record)
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


def _setting_records(record: RunRecord) -> list[bytes]:
    """Return the settings of a run, and how it ended, for the page HPARAMS."""
    values: dict[str, Setting] = {
        name: value if isinstance(value, bool | int | float | str) else str(value)
        for name, value in record.settings.items()
    }
    found = [settings(record.first, values)]
    if record.reason:
        found.append(ending(record.last, has_failed=record.reason in _FAILED))
    return found


def _histogram_records(job: ExportJob, record: RunRecord) -> Iterator[bytes]:
    """Yield the histograms of weights, gradients, updates and outputs of layers that were recorded,
    of each at most :data:`MOST_HISTOGRAMS`, spread over the run. What is known of an output are
    the shares of its elements.
    """
    sizes = {name: values.numel() for name, values in job.module.state_dict().items()}
    history = StatisticHistory()
    with RunStore.open(job.run) as store:
        history.update(store)
    for key in history.columns:
        track = history.track(key)
        chosen = np.unique(np.linspace(0, len(track.steps) - 1, MOST_HISTOGRAMS).round())
        for place in chosen.astype(int) if len(track.steps) else ():
            numbers = track.numbers[place].astype(float)
            low, high = numbers[Statistic.MINIMUM], numbers[Statistic.MAXIMUM]
            if not (np.isfinite(low) and np.isfinite(high)):
                continue
            size = 1 if key[0] is Kind.ACTIVATION else sizes.get(key[1], 1)
            mean, deviation = np.nan_to_num(numbers[[Statistic.MEAN, Statistic.DEVIATION]])
            limits, shares = np.linspace(low, high, BINS + 1), track.counts[place].astype(float)
            counts = shares * (size / max(float(shares.sum()), 1.0))
            if low == high:  # a bin around it, as TensorBoard makes it
                limits, counts = np.asarray([low - 0.5, low + 0.5]), np.asarray([float(size)])
            step = int(track.steps[place])
            yield histogram(
                record.at(step),
                step,
                f"{_GROUPS[key[0]]}/{key[1]}",
                (limits.tolist(), counts.tolist()),
                (size * mean, size * (mean**2 + deviation**2)),
            )


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
