"""Check of custom metrics before a run, on made-up samples of the shapes that they will get."""

import math
from collections.abc import Iterator
from contextlib import suppress
from typing import NamedTuple

import torch
from torch import Tensor

from engine.diagnostics import Diagnostic, DiagnosticError, Severity
from engine.graph.analysis import Analysis
from engine.graph.model import Graph
from engine.spec.data import DataInfo
from engine.spec.defaults import has_boxes
from engine.spec.judged import Judged, judged_outputs
from engine.spec.output import model_outputs
from engine.spec.run import RunSpec
from engine.spec.series import custom_metric_of, is_custom_metric
from engine.train.comparison import Comparison
from engine.train.custom_metric import FIELD, CustomMetric, Measured
from engine.train.losses import LossTerms
from engine.train.metrics import import_metrics

_CPU = torch.device("cpu")
_SAMPLES = 4  # in each of two updates
_SOME = 3
"""Rows of a sample that stand for any number of them."""

Pair = tuple[Tensor, Tensor]


def check_custom_metrics(
    spec: RunSpec, graph: Graph, analysis: Analysis, info: DataInfo | None
) -> Iterator[Diagnostic]:
    """Yield what is wrong with own metrics: what :class:`CustomMetric` raises; a warning R538 for
    one that keeps values which are no states, R539 where the best checkpoint is to have the lowest
    value of one of which higher is better, or the other way round. Where the shapes are not all
    known, they are only made.
    """
    names = [name for name in spec.metrics if is_custom_metric(name)]
    if not names or info is None or has_boxes(info) or not spec.losses:
        return
    import_metrics()
    for judged in judged_outputs(spec, graph.code):
        own = [name for name in judged.chosen_of(spec.metrics) if is_custom_metric(name)]
        comparison = _comparison(spec, graph, info, judged.term) if own else None
        if comparison is None:
            continue
        pairs = _pairs(graph, analysis, info, judged.output, comparison)
        for name in own:
            try:
                yield from _findings(name, spec, graph, _Compared(judged, comparison, pairs))
            except DiagnosticError as error:
                yield from error.problems


class _Compared(NamedTuple):
    """An output that metrics judge, and what they get of it."""

    judged: Judged
    comparison: Comparison
    pairs: list[Pair]


def _findings(name: str, spec: RunSpec, graph: Graph, compared: _Compared) -> Iterator[Diagnostic]:
    judged, comparison, pairs = compared
    measured = Measured(comparison.names, comparison.ignored)
    metric = CustomMetric(name, graph.code, measured, _CPU)
    params: dict[str, str | int | float] = {"name": name}
    part, _, monitored = spec.checkpoint.monitor.partition(".")
    is_monitored = custom_metric_of(monitored) == judged.series(name)
    better = metric.higher_is_better
    if is_monitored and better is not None and better != (spec.checkpoint.mode == "max"):
        yield Diagnostic(
            code="R539",
            severity=Severity.WARNING,
            field="checkpoint.mode",
            params={**params, "stated": str(better)},
        )
    for pair in pairs:
        metric.update(*pair)
    if not pairs:
        return
    values, after = metric.compute(), dict[str, float]()
    series = [judged.series(each) for each in values]
    if is_monitored and monitored not in series:
        known = ", ".join(f"{part}.{each}" for each in series)
        yield Diagnostic(
            code="R040",
            field="checkpoint.monitor",
            params={"monitor": spec.checkpoint.monitor[:60], "series": known},
        )
    with suppress(DiagnosticError):  # what it kept elsewhere is missing
        restored = CustomMetric(name, graph.code, measured, _CPU)
        restored.load(metric.states(), _CPU)
        after = restored.compute()
    if values.keys() != after.keys() or not all(
        math.isclose(values[key], after[key], rel_tol=1e-5)
        or (math.isnan(values[key]) and math.isnan(after[key]))
        for key in values
    ):
        yield Diagnostic(code="R538", severity=Severity.WARNING, field=FIELD, params=params)


def _comparison(spec: RunSpec, graph: Graph, info: DataInfo, term: int) -> Comparison | None:
    """Return what metrics compare; None where the losses cannot be made, which others tell."""
    names = [node.name for node in graph.nodes.values() if node.type == "Output"]
    try:
        terms = LossTerms(spec.losses, names, _CPU, graph.code).terms
    except Exception:  # noqa: BLE001 - of many types, from PyTorch too
        return None
    return Comparison(terms[term], [info.named(field) for field in info.fields])


def _pairs(
    graph: Graph, analysis: Analysis, info: DataInfo, bound: str, comparison: Comparison
) -> list[Pair]:
    """Return predictions and targets as metrics take them, twice; none where a shape is not known
    or nothing is compared.
    """
    output, field = model_outputs(graph, analysis).get(bound), info.field(comparison.field)
    if output is None or output.type is None or field is None or not output.type.shape:
        return []
    rest = [size for size in output.type.shape[1:] if isinstance(size, int)]
    own = [_SOME if size < 0 else size for size in field.shape]
    is_classes = comparison.task == "classification"
    if len(rest) != len(output.type.shape) - 1 or len(rest) != len(own) + is_classes:
        return []
    return [_pair(seed, rest, own, comparison) for seed in range(2)]


def _pair(seed: int, shape: list[int], own: list[int], comparison: Comparison) -> Pair:
    generator = torch.Generator().manual_seed(seed)
    predicted = torch.rand(_SAMPLES, *shape, generator=generator)
    count = _SAMPLES * math.prod(own)
    if comparison.task == "regression":
        target = torch.rand(_SAMPLES, *own, generator=generator)
    else:  # each class occurs, where there are enough samples
        numbers = torch.arange(count) + seed * count
        target = (numbers % (comparison.classes or 2)).reshape(_SAMPLES, *own)
    return comparison.prepared(predicted, target)
