"""Several runs of one module as one graph: a number that differs depends on the batch, any other
constant on the mode.
"""

from itertools import zip_longest
from typing import Any

from torch import fx, nn

from engine.importer.trace import Modal, Pair, differs


class _OtherError(Exception):
    """Two calls differ in more than constants."""


def aligned(module: nn.Module, graphs: tuple[fx.Graph, fx.Graph, fx.Graph]) -> fx.Graph:
    """Return the first of three graphs with the constants in which the others differ: the second
    is of another batch, the third of training. Changes the first.

    Raises :class:`DiagnosticError` (I006) where they are not the same calls.
    """
    first, second, training = graphs
    counterparts: dict[fx.Node, fx.Node] = {}
    for one, other, trained in zip_longest(first.nodes, second.nodes, training.nodes):
        try:
            _require(None not in (one, other, trained))
            _require((one.op, _key(one)) == (other.op, _key(other)) == (trained.op, _key(trained)))
            counterparts[other] = counterparts[trained] = one
            args = _merged((one.args, other.args, trained.args), counterparts)
            kwargs = _merged((one.kwargs, other.kwargs, trained.kwargs), counterparts)
        except _OtherError as error:
            raise differs(module, one or other or trained) from error
        one.args, one.kwargs = args, kwargs
    return first


def _key(node: fx.Node) -> object:
    return node.target if isinstance(node.target, str) else id(node.target)


def _require(is_good: object) -> None:
    if not is_good:
        raise _OtherError


def _merged(values: tuple[Any, Any, Any], counterparts: dict[fx.Node, fx.Node]) -> Any:
    one, other, trained = values
    if isinstance(one, fx.Node):
        _require(counterparts.get(other) is one)
        _require(counterparts.get(trained) is one)
        return one
    if isinstance(one, slice):
        parts = [(s.start, s.stop, s.step) for s in values if isinstance(s, slice)]
        _require(len(parts) == 3)
        return slice(*(_merged(part, counterparts) for part in zip(*parts, strict=True)))
    if isinstance(one, dict):
        _require(isinstance(other, dict) and isinstance(trained, dict))
        _require(one.keys() == other.keys() == trained.keys())
        return {key: _merged((one[key], other[key], trained[key]), counterparts) for key in one}
    if isinstance(one, list | tuple):
        _require(isinstance(other, list | tuple) and isinstance(trained, list | tuple))
        _require(len(one) == len(other) == len(trained))
        items = [_merged(item, counterparts) for item in zip(one, other, trained, strict=True)]
        return items if isinstance(one, list) else tuple(items)
    return _constant(one, other, trained)


def _constant(one: Any, other: Any, trained: Any) -> Any:
    is_same, is_modal = _is_equal(one, other), not _is_equal(one, trained)
    if is_same and not is_modal:
        return one
    is_number = {type(one), type(other)} == {int}
    _require(is_same or (is_number and not is_modal))
    return Modal(one, trained) if is_same else Pair(one, other)


def _is_equal(one: Any, other: Any) -> bool:
    return type(one) is type(other) and bool(one == other)
