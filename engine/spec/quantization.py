"""Quantization-aware training: whether the layers that are left out are there."""

from collections.abc import Iterator

from engine.diagnostics import Diagnostic, Severity
from engine.graph.analysis import Analysis
from engine.graph.model import Graph
from engine.spec.group import fits, patterns
from engine.spec.placement import part_names
from engine.spec.run import RunSpec

FIELD = "quantization.bits"
_SKIP = "quantization.skip"
_MODES = ("fsdp", "dp")
_FEWEST = 2


def check_quantization(spec: RunSpec, graph: Graph, analysis: Analysis) -> Iterator[Diagnostic]:
    """Yield R563 for a number of bits that cannot be, R564 for a mode of several processes that
    splits what it needs, R565 for names that the model does not have, and a warning R566 where it
    begins after the last epoch.
    """
    chosen = spec.quantization
    if not chosen.bits:
        return
    if chosen.bits < _FEWEST:
        yield Diagnostic.of("R563", field=FIELD, bits=chosen.bits)
    if spec.mode in _MODES:
        yield Diagnostic.of("R564", field=FIELD, mode=spec.mode)
    if spec.length == "epochs" and chosen.start >= spec.epochs:
        params: dict[str, str | int | float] = {"start": chosen.start, "epochs": spec.epochs}
        yield Diagnostic(
            code="R566", severity=Severity.WARNING, field="quantization.start", params=params
        )
    if not chosen.skip or not analysis.is_ok():
        return
    parts = part_names(graph, analysis)
    for pattern in patterns(chosen.skip):
        if not any(fits(pattern, part) for part in parts):
            yield Diagnostic.of("R565", field=_SKIP, match=pattern)
