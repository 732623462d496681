"""A run for TensorBoard: its curves, the model and some samples in one event file."""

from collections.abc import Sequence
from itertools import repeat
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.data.load.fit import read_fit
from engine.data.load.load import load_data
from engine.events import EpochDone, RunEnded, RunEvent, RunStarted
from engine.export.event_file import GraphPart, model, read_scalars, scalar, version_record
from engine.export.job import ExportJob
from engine.export.sample_records import sample_records
from engine.files import atomic_write
from engine.graph.model import Graph
from engine.model.analysis import analyse
from engine.runs.folder import RunFolder
from engine.runs.record.store import RunStore
from engine.spec.group import rate_names
from engine.spec.phase import phase_names


def write_tensorboard(job: ExportJob, output: Path) -> tuple[tuple[Path, ...], float]:
    """Write the event file; it takes its place only after its numbers were read back. A series
    ``train.loss`` becomes the tag ``train/loss``, the rate of a group ``lr/group 1 (layer4)``.

    Returns the files and the largest difference of a number that is kept (float32).
    Raises :class:`DiagnosticError`.
    """
    with RunStore.open(job.run) as store:
        curves = [(name, store.scalars(name)) for name in store.series_names()]
        events = [stored.event for stored in store.events()]
    clock = _Clock(events)
    records = [version_record(clock.first), model(clock.first, graph_parts(job.graph))]
    fit = read_fit(RunFolder.open(job.run).artefacts)
    data = load_data(job.spec.data, job.graph.code, fit, is_normalized=False)
    records += sample_records(data, clock.first)
    wanted: list[float] = []
    trained = [event.groups for event in events if isinstance(event, RunStarted)]
    groups = rate_names(job.spec.groups, trained[-1] if trained else (), phase_names(job.spec))
    for name, curve in curves:
        values = curve.values.astype(np.float32).tolist()
        wanted += values
        tag = _tag(name, groups)
        times = clock.at(curve.steps)
        records += map(scalar, times, curve.steps.tolist(), repeat(tag), values)
    differences: list[float] = []

    def verify(file: Path) -> None:
        kept = np.asarray([value for _, _, value in read_scalars(file.read_bytes())])
        away = np.abs(np.asarray(wanted) - kept)
        differences.append(float(np.max(away[np.isfinite(away)], initial=0.0)))

    atomic_write(output, b"".join(records), verify)
    return (output,), max(differences)


def _tag(name: str, groups: dict[str, str]) -> str:
    """Return what a curve is called; of several learning rates each is named."""
    part, _, rest = name.partition(".")
    rest = groups.get(name, rest)
    return f"{part}/{rest}" if rest else part


class _Clock:
    """When which step was: known where an epoch ended, between them by the share of the steps."""

    def __init__(self, events: Sequence[RunEvent]) -> None:
        self.first = next((event.time for event in events), 0.0)
        known = [(e.step, e.time) for e in events if isinstance(e, EpochDone | RunEnded)]
        self._known = dict([(0, self.first), *known])  # a resume goes over steps again

    def at(self, steps: NDArray[np.int64]) -> list[float]:
        """Return the wall-clock seconds of some steps."""
        places = sorted(self._known)
        times = np.interp(steps, places, [self._known[place] for place in places])
        return [float(time) for time in times]


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
