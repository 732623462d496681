"""Check of the metrics of a run and of the series that its best checkpoint is chosen by."""

from collections.abc import Iterator, Sequence

import msgspec

from engine.catalog.registry import catalog
from engine.catalog.spec import EntryGroup
from engine.diagnostics import Diagnostic, Severity
from engine.spec.choice import Code
from engine.spec.data import DataInfo
from engine.spec.defaults import BLEU, has_boxes
from engine.spec.judged import Judged, split_metric
from engine.spec.retrieval import RETRIEVAL_METRICS, fits_ranking, query_column
from engine.spec.run import CheckpointSpec, RunSpec
from engine.spec.series import (
    LATEST,
    chosen_metrics,
    custom_metric_of,
    fits_classes,
    fits_numbers,
    fits_texts,
    is_custom_metric,
    measured_outputs,
    metric_classes,
    metric_numbers,
    metric_task,
    monitored_series,
)


def check_metrics(spec: RunSpec, info: DataInfo | None, code: Code) -> Iterator[Diagnostic]:
    """Yield the metrics that are not defined for what is predicted, and those of an output that
    nothing compares with the data.
    """
    if info is None:
        return
    outputs = measured_outputs(spec, info, code)
    known = [name for each in outputs for name in each.names]
    for metric in spec.metrics:
        name = split_metric(metric)[0]
        if name and name not in known:
            params: dict[str, str | int | float] = {"output": name, "known": ", ".join(known)}
            yield Diagnostic(code="R577", field="metrics", params={"name": metric, **params})
    for each in outputs:
        yield from _of_output(spec, info, each)


def fitting_metrics(spec: RunSpec, info: DataInfo, judged: Judged) -> list[str]:
    """Return the metrics of the catalogue that are defined for what an output predicts."""
    task, classes = metric_task(spec, info, judged.term), metric_classes(spec, info, judged.term)
    numbers = metric_numbers(spec, info, judged.term)
    entries = [entry for entry in catalog().group(EntryGroup.METRIC) if task in entry.tasks]
    return [
        entry.key
        for entry in entries
        if fits_classes(entry.key, len(classes))
        and fits_numbers(entry.key, len(numbers))
        and fits_texts(entry.key, info)
        and fits_ranking(entry.key, task, len(classes))
        and not (judged.name and entry.key == BLEU)  # of the text that the first term learns
    ]


def _of_output(spec: RunSpec, info: DataInfo, judged: Judged) -> Iterator[Diagnostic]:
    task = metric_task(spec, info, judged.term)
    classes = len(metric_classes(spec, info, judged.term))
    fitting = fitting_metrics(spec, info, judged)
    numbers = len(metric_numbers(spec, info, judged.term))
    for name in chosen_metrics(judged.chosen_of(spec.metrics), task, classes, numbers):
        if name in RETRIEVAL_METRICS and name in fitting and not query_column(spec.data):
            yield Diagnostic(code="R600", field="metrics", params={"name": name})
        if name not in fitting and not (is_custom_metric(name) and not has_boxes(info)):
            known = ", ".join(map(judged.series, fitting))
            params: dict[str, str | int | float] = {"name": judged.series(name), "known": known}
            yield Diagnostic(code="R047", field="metrics", params=params)


def check_monitor(spec: RunSpec, info: DataInfo | None, code: Code) -> Iterator[Diagnostic]:
    """Yield what is wrong with the series that the best checkpoint is chosen by."""
    if info is None:
        return
    monitor = spec.checkpoint.monitor
    known = monitored_series(spec, info, code)
    if monitor == LATEST:
        return
    if monitor in known or _is_of_own(monitor, known):
        return
    series = ", ".join((*known, LATEST))
    params: dict[str, str | int | float] = {"monitor": monitor[:60], "series": series}
    usual = monitored_series(spec, msgspec.structs.replace(info, splits=()), code)
    is_only_missing = monitor in usual or _is_of_own(monitor, usual)
    if is_only_missing and monitor == CheckpointSpec().monitor:
        field = "checkpoint.monitor"  # which nobody has chosen
        yield Diagnostic.of("D732", severity=Severity.HINT, field=field)
        return
    yield Diagnostic(
        code="R041" if is_only_missing else "R040",
        severity=Severity.WARNING if is_only_missing else Severity.ERROR,
        field="checkpoint.monitor",
        params=params,
    )


def _is_of_own(monitor: str, known: Sequence[str]) -> bool:
    """Return whether a series may be one of several numbers of a metric of the user's code, of
    which one learns when it is tried.
    """
    part, _, name = monitor.partition(".")
    metric = custom_metric_of(name)
    return is_custom_metric(name) and name != metric and f"{part}.{metric}" in known
