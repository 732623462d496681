"""Unfreezing on a schedule: which parameters are trained from which epoch on."""

import re
from collections.abc import Iterator, Mapping

from engine.diagnostics import Diagnostic, Severity
from engine.graph.analysis import Analysis
from engine.graph.model import Graph
from engine.graph.module_name import module_names
from engine.graph.opaque_model import opaque_node
from engine.spec.group import fits
from engine.spec.placement import part_names
from engine.spec.run import RunSpec

FIELD = "unfreezing.schedule"
_PART = re.compile(r"([^\W\d][\w.*?]*|\*[\w.*?]*)\s*=\s*(\d{1,6})")


def unfreezing_epochs(text: str) -> dict[str, int] | None:
    """Return epochs (from 1) by patterns of parameters, None where the text says no such. A
    parameter is trained from the epoch of the first pattern on that names it.
    """
    found: dict[str, int] = {}
    parts = re.split("[,;，、；]", text)
    for part in filter(None, map(str.strip, parts)):
        match = _PART.fullmatch(part)
        if match is None or int(match[2]) < 1:
            return None
        found.setdefault(match[1], int(match[2]))
    return found


def first_epoch(name: str, epochs: Mapping[str, int]) -> int | None:
    """Return the epoch from which a parameter is trained by its name; None: nothing names it."""
    return next((epoch for pattern, epoch in epochs.items() if fits(pattern, name)), None)


def check_unfreezing(spec: RunSpec, graph: Graph, analysis: Analysis) -> Iterator[Diagnostic]:
    """Yield R468 for a text that says no epochs, R469 for names that the model does not have, R470
    where nothing is trained at first, and a warning R471 for epochs that the run does not reach.
    """
    epochs = unfreezing_epochs(spec.unfreezing.schedule)
    if epochs is None:
        yield Diagnostic.of("R468", field=FIELD, text=spec.unfreezing.schedule[:60])
        return
    for pattern, epoch in epochs.items():
        if spec.length == "epochs" and epoch > spec.epochs:
            params: dict[str, str | int | float] = {
                "match": pattern,
                "epoch": epoch,
                "epochs": spec.epochs,
            }
            yield Diagnostic(code="R471", severity=Severity.WARNING, field=FIELD, params=params)
    if not epochs or not analysis.is_ok():
        return
    parts = part_names(graph, analysis)
    for pattern in epochs:
        if not any(_names(pattern, part) for part in parts):
            yield Diagnostic.of("R469", field=FIELD, match=pattern)
    if opaque_node(graph) is None and _holds_all(graph, analysis, epochs):
        yield Diagnostic.of("R470", field=FIELD)


def _names(pattern: str, part: str) -> bool:
    """Return whether a pattern names a parameter of a part, or the part."""
    return any(fits(pattern, name) for name in (part, f"{part}.weight", f"{part}.bias"))


def _holds_all(graph: Graph, analysis: Analysis, epochs: Mapping[str, int]) -> bool:
    """Return whether no layer is trained in the first epoch."""
    names = module_names(graph)
    for path, report in analysis.nodes.items():
        name = names.get(path)
        if name is None or not report.parameters or any(p.startswith(f"{path}/") for p in names):
            continue
        starts = [first_epoch(f"{name}.{each}", epochs) for each in ("weight", "bias")]
        is_frozen = report.frozen == report.parameters
        if any(start == 1 or (start is None and not is_frozen) for start in starts):
            return False
    return True
