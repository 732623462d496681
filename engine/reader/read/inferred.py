"""Parameters of nodes that a text says; numbers that follow from what arrives stay inferred."""

from collections.abc import Mapping, Sequence

from engine.catalog.registry import catalog
from engine.catalog.spec import AUTO, ParamSpec, Value
from engine.graph.model import Node
from engine.reader.interpreter.value import Given, Made

Resolved = Mapping[str, Mapping[str, int]]
"""By path of a node (with the numbers of copies) the numbers that stand for "auto"."""


def node_params(
    made: Made, kind: str, old: Node | None, resolved: Sequence[Mapping[str, int]]
) -> dict[str, Value]:
    """Return the settings of a node of a kind, as a document holds them.

    ``old`` is the node that it was; ``resolved`` are its inferred numbers, of each of its copies.
    """
    entry = catalog().node(kind)
    if entry is None:
        return {name: _plain(value) for name, value in made.params.items()}
    copies = made.copies or (made.params,)
    old_params = old.params if old is not None and old.type == kind else {}
    settings: dict[str, Value] = {}
    for spec in entry.params:
        values = [copy.get(spec.name, spec.default) for copy in copies]
        value = _value(spec, values, old_params, old, resolved)
        if value == AUTO and old is not None and spec.name not in old_params:
            continue
        is_kept = old_params.get(spec.name) == value and spec.name in old_params
        if (
            is_kept
            or spec.required
            or type(value) is not type(spec.default)
            or value != spec.default
        ):
            settings[spec.name] = value
    return settings


def _value(
    spec: ParamSpec,
    values: Sequence[Value],
    old_params: Mapping[str, Value],
    old: Node | None,
    resolved: Sequence[Mapping[str, int]],
) -> Value:
    value = values[0]
    if not spec.auto:
        return _plain(value)
    if old is not None:
        was = old_params.get(spec.name, AUTO if spec.required else spec.default)
        numbers = [copy.get(spec.name) for copy in resolved]
        if was == AUTO and list(values) == numbers:
            return AUTO
        if was == AUTO and len(values) > 1 and len(set(values)) > 1:
            return AUTO
    elif isinstance(value, Given) or len(set(values)) > 1:
        return AUTO
    return _plain(value)


def _plain(value: Value) -> Value:
    if isinstance(value, tuple):
        return tuple(int(item) if isinstance(item, Given) else item for item in value)
    return int(value) if isinstance(value, Given) else value
