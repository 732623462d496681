"""Names that the patterns of a run can match: modules, and parts of custom layers."""

from engine.graph.analysis import Analysis
from engine.graph.expand import place_of
from engine.graph.model import Graph
from engine.graph.module_name import module_names
from engine.graph.opaque_model import opaque_node


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
