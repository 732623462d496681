"""What a run recorded, as other programs for the curves of runs take it: with names of their kind
and wall-clock times.
"""

import hashlib
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.catalog.spec import Value
from engine.events import EpochDone, RunEnded, RunStarted
from engine.export.job import ExportJob
from engine.runs.folder import RunFolder
from engine.runs.record.store import RunStore
from engine.spec.fields import field_names, get_value
from engine.spec.group import rate_names
from engine.spec.phase import phase_names


class TaggedCurve(NamedTuple):
    """A curve: a series ``train.loss`` has the tag ``train/loss``, the rate of a group
    ``lr/group 1 (layer4)``.
    """

    tag: str
    steps: NDArray[np.int64]
    values: NDArray[np.float64]
    times: NDArray[np.float64]


class RunRecord(NamedTuple):
    """A run: ``key`` is the same whenever it is written; ``first`` and ``last`` are wall-clock
    seconds, ``known`` those at some steps; ``settings`` are those of its recipe by their dotted
    names, ``reason`` is why it ended (empty: it did not).
    """

    project: str
    run: str
    name: str
    key: str
    first: float
    last: float
    reason: str
    settings: dict[str, Value]
    curves: tuple[TaggedCurve, ...]
    known: dict[int, float]

    def at(self, step: int) -> float:
        """Return the wall-clock seconds of a step."""
        return float(_between(self.known, np.asarray([step]))[0])


def run_record(job: ExportJob) -> RunRecord:
    """Return the record of the run of a job. Raises :class:`DiagnosticError` as the store does."""
    folder = RunFolder.open(job.run)
    with RunStore.open(job.run) as store:
        curves = [(name, store.scalars(name)) for name in store.series_names()]
        events = [stored.event for stored in store.events()]
    first = next((event.time for event in events), 0.0)
    known = [(e.step, e.time) for e in events if isinstance(e, EpochDone | RunEnded)]
    times = dict([(0, first), *known])  # a resume goes over steps again
    trained = [event.groups for event in events if isinstance(event, RunStarted)]
    groups = rate_names(job.spec.groups, trained[-1] if trained else (), phase_names(job.spec))
    ends = [event for event in events if isinstance(event, RunEnded)]
    words = f"{folder.project.name}/{folder.id}/{folder.document.created}"
    return RunRecord(
        project=folder.project.name,
        run=folder.id,
        name=folder.document.name or folder.id,
        key=hashlib.sha256(words.encode()).hexdigest()[:16],
        first=first,
        last=max((event.time for event in events), default=first),
        reason=ends[-1].reason if ends else "",
        settings={name: get_value(job.spec, name) for name in field_names(job.spec)},
        curves=tuple(
            TaggedCurve(_tag(name, groups), curve.steps, curve.values, _between(times, curve.steps))
            for name, curve in curves
        ),
        known=times,
    )


def _tag(name: str, groups: dict[str, str]) -> str:
    """Return what a curve is called; of several learning rates each is named."""
    part, _, rest = name.partition(".")
    rest = groups.get(name, rest)
    return f"{part}/{rest}" if rest else part


def _between(known: dict[int, float], steps: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return when some steps were: known where an epoch ended, between them by the share of the
    steps.
    """
    places = sorted(known)
    return np.interp(steps, places, [known[place] for place in places])
