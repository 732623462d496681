"""Loops of a text that are one repeated node: each copy gets what the last one gave."""

from collections.abc import Sequence
from typing import Any, Protocol

import libcst as cst

from engine.catalog.registry import catalog
from engine.catalog.spec import Value
from engine.reader.interpreter.expression import Evaluator, bind
from engine.reader.interpreter.value import Level, Made, Member, Modules, UnreadError
from engine.reader.read.calling import is_checkpoint, module_of
from engine.reader.text.rename import read_names


class _Reader(Protocol):
    level: Level


def repeated(reader: _Reader, evaluator: Evaluator, node: cst.For, items: Any) -> bool:
    """Read a loop as one node, where it is one; return whether it is."""
    statement = _only(node)
    if statement is None or not isinstance(node.target, cst.Name):
        return False
    value = statement.value
    called = _unwrapped(evaluator, value) if isinstance(value, cst.Call) else None
    if called is None or not _is_carried(statement.targets[0].target, called):
        return False
    if isinstance(items, Modules):
        is_called = isinstance(called.func, cst.Name) and called.func.value == node.target.value
        copies = _copies(list(items.items.values()), node) if is_called and items.attribute else []
        if len(copies) < 2:
            return False
        first = next(iter(items.items.values()))
        member = Member(items.attribute, first.content, node)
        bind(evaluator.names, node.target, member)
        made = _read(reader, evaluator, statement)
        made.copies, made.inside = _params(copies), tuple(c.inside[0] for c in copies if c.inside)
        made.repeat = len(copies)
        return True
    is_counted = isinstance(items, list) and len(items) > 1 and isinstance(items[0], int)
    if not is_counted or not isinstance(evaluator.evaluate(called.func), Member):
        return False
    made = _read(reader, evaluator, statement)
    made.repeat, made.tied = len(items), True
    return True


def _unwrapped(evaluator: Evaluator, value: cst.Call) -> cst.Call:
    """Return the call of a module that a call by way of ``checkpoint`` stands for; else itself."""
    if not isinstance(value.func, cst.Name) or not value.args:
        return value
    if not is_checkpoint(evaluator.names.get(value.func.value)):
        return value
    return value.with_changes(func=value.args[0].value, args=value.args[1:])


def _read(reader: _Reader, evaluator: Evaluator, statement: cst.Assign) -> Made:
    count = len(reader.level.nodes)
    value = evaluator.evaluate(statement.value)
    if len(reader.level.nodes) != count + 1:
        raise UnreadError(statement, "T026")
    bind(evaluator.names, statement.targets[0].target, value)
    return reader.level.nodes[-1]


def _only(node: cst.For) -> cst.Assign | None:
    lines: Sequence[cst.CSTNode] = node.body.body
    line = lines[0] if len(lines) == 1 and node.orelse is None else None
    if not isinstance(line, cst.SimpleStatementLine) or len(line.body) != 1:
        return None
    one = line.body[0]
    return one if isinstance(one, cst.Assign) and len(one.targets) == 1 else None


def _is_carried(target: cst.BaseExpression, value: cst.Call) -> bool:
    """Return whether what a call gives goes, in order, into its first arguments, and nowhere else;
    what it gives beyond them may be read behind the loop.
    """
    names = _leaves(target)
    positional = [arg for arg in value.args if arg.keyword is None and not arg.star]
    given = [name for arg in positional for name in _leaves(arg.value)]
    others = {name for arg in value.args if arg not in positional for name in read_names(arg.value)}
    carried = given[: len(names)]
    others.update(given[len(names) :])
    return bool(carried) and carried == names[: len(carried)] and not others & set(names)


def _leaves(node: cst.BaseExpression) -> list[str]:
    """Return the names in a tuple of tuples; what is no name has none."""
    if isinstance(node, cst.Tuple):
        return [name for element in node.elements for name in _leaves(element.value)]
    return [node.value if isinstance(node, cst.Name) else "?"]


def _copies(members: Sequence[Any], syntax: cst.CSTNode) -> list[Made]:
    """Return the modules of a list where they differ in nothing but sizes that are inferred."""
    if not all(isinstance(one, Member) and one.first is None for one in members):
        return []
    try:
        layers = [module_of(one.content, "", syntax)[0] for one in members]
    except UnreadError:
        return []
    kinds = {(one.type, one.inside[0].source if one.inside else "") for one in layers}
    if len(kinds) != 1:
        return []
    return layers if all(_is_copy(one, layers[0]) for one in layers) else []


def _is_copy(one: Made, other: Made) -> bool:
    """Return whether two nodes differ in inferred sizes alone, also in all that is inside them."""
    if one.type != other.type or len(one.inside) != len(other.inside):
        return False
    entry = catalog().node(one.type)
    autos = {spec.name for spec in entry.params if spec.auto} if entry is not None else set()
    for name in {*one.params, *other.params} - autos:
        if one.params.get(name) != other.params.get(name):
            return False
    pairs = [(mine.nodes, its.nodes) for mine, its in zip(one.inside, other.inside, strict=True)]
    return all(len(mine) == len(its) and all(map(_is_copy, mine, its)) for mine, its in pairs)


def _params(copies: Sequence[Made]) -> tuple[dict[str, Value], ...]:
    return tuple(one.params for one in copies)
