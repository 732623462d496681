"""What a report tells of one run: its record, its curves, its results on a part of the data."""

from collections.abc import Iterator

import msgspec

from engine.diagnostics import Diagnostic, DiagnosticError
from engine.query.results.mask_sample import MaskSamples
from engine.query.results.request import BoxSamples, ResultReport, SequenceSamples
from engine.runs.folder import RunDocument, RunFolder
from engine.runs.follow import read_state
from engine.runs.record.series import Curve, decimate
from engine.runs.record.state import RunState
from engine.runs.record.store import RunStore
from engine.spec.data import PreviewInfo

_MOST_COLUMNS = 600
"""Stretches of a curve; of each the lowest and the highest point are drawn."""

Samples = PreviewInfo | MaskSamples | BoxSamples | SequenceSamples


class RunResults(msgspec.Struct, frozen=True, kw_only=True):
    """What a checkpoint of a run predicts: the ``report``, and the worst ``samples`` by their
    ``numbers`` in it. ``problems`` say why there is none of it, or no samples.
    """

    report: ResultReport | None = None
    numbers: tuple[int, ...] = ()
    samples: Samples | None = None
    problems: tuple[Diagnostic, ...] = ()


class DrawnCurve(msgspec.Struct, frozen=True, kw_only=True):
    """A series of a run as it is drawn."""

    name: str
    steps: tuple[float, ...]
    values: tuple[float, ...]


class RunContent(msgspec.Struct, frozen=True, kw_only=True):
    """A run in a report. ``problems`` are of its record, where it cannot be read."""

    document: RunDocument
    state: RunState
    curves: tuple[DrawnCurve, ...] = ()
    results: RunResults = RunResults()
    problems: tuple[Diagnostic, ...] = ()


def read_content(folder: RunFolder, results: RunResults) -> RunContent:
    """Return what there is to tell of a run; a damaged record is told and ends nothing."""
    problems: list[Diagnostic] = []
    state, curves = RunState(), ()
    try:
        state = read_state(folder, problems)
        curves = tuple(_curves(folder))
    except DiagnosticError as error:
        problems += error.problems
    return RunContent(
        document=folder.document,
        state=state,
        curves=curves,
        results=results,
        problems=tuple(problems),
    )


def _curves(folder: RunFolder) -> Iterator[DrawnCurve]:
    store = RunStore.find(folder.path)
    if store is None:
        return
    with store:
        for name in store.series_names():
            curve = Curve(name)
            curve.update(store)
            steps, values = decimate(curve.steps, curve.values, _MOST_COLUMNS)
            yield DrawnCurve(
                name=name, steps=tuple(map(float, steps)), values=tuple(map(float, values))
            )
