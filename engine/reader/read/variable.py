"""Names of operators: that of the one variable which holds the result, as in generated code."""

from collections import Counter
from typing import Any

import libcst as cst

from engine.graph.naming import name_problem
from engine.reader.interpreter.statement import given_by
from engine.reader.interpreter.value import Level, Ref


def name_operators(level: Level, forward: cst.FunctionDef) -> None:
    """Give each operator the name of its variable, where that is given a value only once."""
    given = Counter(one.value for one in _names(forward))
    held = [made for made in level.nodes if made.shares is None]
    taken = {made.attribute for made in (*level.inputs, *level.idle, *held) if made.attribute}
    for number, statement in enumerate(forward.body.body):
        made = [one for one in level.nodes if one.statement == number]
        target = _target(statement)
        if target is None or not made or (made[-1].attribute and made[-1].shares is None):
            continue
        name = _name_of(target, level.records[number].after)
        if name and given[name] <= 1 and name not in taken and name_problem(name) is None:
            made[-1].variable = name


def _names(forward: cst.FunctionDef) -> list[cst.Name]:
    found = [one for one in given_by(forward.body) if isinstance(one, cst.Name)]
    return [*found, *(param.name for param in forward.params.params)]


def _target(statement: cst.CSTNode) -> cst.BaseExpression | None:
    if not isinstance(statement, cst.SimpleStatementLine) or len(statement.body) != 1:
        return None
    one = statement.body[0]
    is_one = isinstance(one, cst.Assign) and len(one.targets) == 1
    return one.targets[0].target if isinstance(one, cst.Assign) and is_one else None


def _name_of(target: cst.BaseExpression, given: dict[str, Any]) -> str:
    """Return the name that a target is made of: ``x``, or ``x`` of ``x_values, x_indices``."""
    if isinstance(target, cst.Name):
        return target.value
    if not isinstance(target, cst.Tuple):
        return ""
    names = [one.value.value if isinstance(one.value, cst.Name) else "" for one in target.elements]
    used = [name for name in names if name != "_"]
    if len(used) == 1:
        return used[0]
    bases = {_base(name, given.get(name)) for name in used}
    return bases.pop() if len(bases) == 1 else ""


def _base(name: str, value: Any) -> str:
    ending = f"_{value.port.replace('.', '_')}" if isinstance(value, Ref) else "_"
    return name.removesuffix(ending) if name.endswith(ending) else ""
