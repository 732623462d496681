"""Device placement of parts of a model: ``head=cuda:1, encoder.*=cuda:0``."""

import re
from collections.abc import Iterator, Mapping
from typing import TypeVar

from engine.diagnostics import Diagnostic
from engine.graph.analysis import Analysis
from engine.graph.expand import place_of
from engine.graph.model import Graph
from engine.graph.module_name import module_names
from engine.graph.opaque_model import opaque_node
from engine.spec.group import fits
from engine.spec.run import RunSpec


def part_names(graph: Graph, analysis: Analysis) -> set[str]:
    """Return the names of the modules of a model, and those of the modules and parameters in its
    layers of own code, as far as these are known.
    """
    whole = opaque_node(graph)
    if whole is not None:
        return set(_inside(analysis, whole.id))
    modules = module_names(graph)
    inner = {f"{name}.{each}" for path, name in modules.items() for each in _inside(analysis, path)}
    return inner.union(modules.values())


def _inside(analysis: Analysis, path: str) -> tuple[str, ...]:
    report = analysis.nodes.get(place_of(path))
    return () if report is None else report.names


Device = TypeVar("Device")

_PART = re.compile(r"([^\W\d][\w.*?]*)\s*=\s*(cpu|mps|cuda:\d{1,3})")
_ALONE = ("process", "thread")


def placements(text: str) -> dict[str, str] | None:
    """Return devices by the beginnings of names or patterns, None where the text says no such."""
    found: dict[str, str] = {}
    parts = text.replace("，", ",").replace("、", ",").split(",")
    for part in filter(None, map(str.strip, parts)):
        match = _PART.fullmatch(part)
        if match is None:
            return None
        found[match[1]] = match[2]
    return found


def device_of(name: str, parts: Mapping[str, Device]) -> Device | None:
    """Return the device of a module by its name; None: where the rest of the model is."""
    return next((device for pattern, device in parts.items() if fits(pattern, name)), None)


def check_placement(spec: RunSpec, graph: Graph, analysis: Analysis) -> Iterator[Diagnostic]:
    """Yield parts that the model does not have, and settings that a placement does not go with."""
    parts, field = placements(spec.compute.placement), "compute.placement"
    if not parts:
        return
    names = part_names(graph, analysis)
    for pattern in parts:
        if not any(fits(pattern, name) or name.startswith(f"{pattern}.") for name in names):
            yield Diagnostic(code="R210", field=field, params={"part": pattern[:100]})
    if spec.mode not in _ALONE:
        yield Diagnostic(code="R212", field=field, params={"mode": spec.mode})
    if spec.compute.compile:
        yield Diagnostic(code="R213", field=field)
