"""Depth of the weights of a model: how many layers lie between each and the output."""

from collections.abc import Collection, Mapping, Sequence
from math import prod

from engine.graph.expand import expand
from engine.graph.model import Graph
from engine.graph.module_name import module_names
from engine.graph.query import order

_MATRIX = 2  # axes: what has fewer is a bias, or scales and shifts
_MOST = 0.5  # of the numbers: a block that holds more is no layer among others but the model


def weight_depths(graph: Graph, shapes: Mapping[str, tuple[int, ...]]) -> dict[str, int]:
    """Return for each weight (``encoder.0.linear.bias``, with its shape) how many levels lie
    between it and the output, on the longest way; 0 for those of the last one.

    A level is a layer, or a block with all that is in it; a block that holds more than half of all
    numbers is opened, and one in it likewise. What has weights of one axis alone, such as a norm,
    is in the level of the layer before it. Where nodes do not show what is in the model, weights
    are taken to be used in the order in which the model has them.
    """
    names = module_names(graph)
    sizes = {name: prod(shape) for name, shape in shapes.items()}
    opened = _opened(sizes, frozenset(names.values()))
    units = {weight: _unit(weight, opened) for weight in shapes}
    levels = {units[weight] for weight, shape in shapes.items() if len(shape) >= _MATRIX}
    if names:
        nodes = {path: _unit(name, opened) for path, name in names.items()}
        found = _distances(graph, nodes, levels)
    else:
        found = _in_order(tuple(dict.fromkeys(units.values())), levels)
    distances = {weight: found.get(unit, 0) for weight, unit in units.items()}
    depths = {distance: depth for depth, distance in enumerate(sorted(set(distances.values())))}
    return {weight: depths[distance] for weight, distance in distances.items()}


def _in_order(units: Sequence[str], levels: Collection[str]) -> dict[str, int]:
    """Return how many levels come after each, one after the other."""
    found: dict[str, int] = {}
    after = 0
    for unit in reversed(units):
        found[unit] = after
        after += unit in levels
    return found


def _opened(sizes: Mapping[str, int], layers: Collection[str]) -> frozenset[str]:
    """Return the blocks that hold more than half of all numbers. ``layers`` have nothing in them
    that is known.
    """
    total, inside = sum(sizes.values()), dict[str, int]()
    for name, size in sizes.items():
        parts = name.split(".")
        for end in range(1, len(parts)):
            prefix = ".".join(parts[:end])
            if prefix in layers:
                break
            inside[prefix] = inside.get(prefix, 0) + size
    return frozenset(prefix for prefix, size in inside.items() if size > _MOST * total)


def _unit(name: str, opened: Collection[str]) -> str:
    """Return the layer or block that a weight or node counts as."""
    parts = name.split(".")
    for end in range(1, len(parts)):
        unit = ".".join(parts[:end])
        if unit not in opened:
            return unit
    return name


def _distances(graph: Graph, units: Mapping[str, str], levels: Collection[str]) -> dict[str, int]:
    """Return by layer or block how many levels come after it; the nodes of ``units`` are theirs."""
    flat = expand(graph).graph
    targets: dict[str, list[str]] = {}
    for edge in flat.edges:
        targets.setdefault(edge.source, []).append(edge.target)
    after: dict[str, int] = {}
    found: dict[str, int] = {}
    for path in reversed(order(flat)):
        unit = units.get(path, path)
        after[path] = 0
        for target in targets.get(path, ()):
            following = units.get(target, target)
            is_level = following != unit and following in levels
            after[path] = max(after[path], after[target] + is_level)
        found[unit] = min(found.get(unit, after[path]), after[path])
    return found
