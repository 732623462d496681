"""Python statements in the layout that ``ruff format`` gives them, at 88 columns."""

from typing import NamedTuple

import msgspec

LINE_LENGTH = 88
INDENT = "    "


class Group(msgspec.Struct, frozen=True):
    """A bracketed part of an expression: ``head`` ends with the opening bracket.

    A ``call`` may put all its items on one line of their own; a display (list, tuple) may not.
    """

    head: str
    items: tuple["Expression", ...]
    close: str
    is_call: bool = True


class Infix(msgspec.Struct, frozen=True):
    """Two operands and what stands between them."""

    left: "Expression"
    operator: str
    right: "Expression"


class Comprehension(msgspec.Struct, frozen=True):
    """One item made again and again: ``item for _ in range(3)``."""

    item: "Expression"
    clause: str


Expression = str | Group | Infix | Comprehension


class Line(NamedTuple):
    """A line of source and the path of the node that it is of; empty for none."""

    text: str
    owner: str = ""


def call(function: str, items: list[Expression]) -> Group:
    """Return a call of a function."""
    return Group(f"{function}(", tuple(items), ")")


def keyword(name: str, value: Expression) -> Expression:
    """Return ``name=value``."""
    match value:
        case Group():
            return Group(f"{name}={value.head}", value.items, value.close, value.is_call)
        case _:
            return f"{name}={flat(value)}"


def list_of(items: list[Expression]) -> Group:
    """Return a list."""
    return Group("[", tuple(items), "]", is_call=False)


def dict_of(items: dict[str, Expression]) -> Group:
    """Return a dictionary with words as keys."""
    entries: list[Expression] = []
    for name, value in items.items():
        match value:
            case Group():
                head = f'"{name}": {value.head}'
                entries.append(Group(head, value.items, value.close, value.is_call))
            case _:
                entries.append(f'"{name}": {flat(value)}')
    return Group("{", tuple(entries), "}", is_call=False)


def tuple_of(items: list[Expression]) -> Group:
    """Return a tuple."""
    return Group("(", tuple(items), ",)" if len(items) == 1 else ")", is_call=False)


def flat(expression: Expression) -> str:
    """Return an expression on one line."""
    match expression:
        case Group():
            inner = ", ".join(flat(item) for item in expression.items)
            return f"{expression.head}{inner}{expression.close}"
        case Infix():
            space = "" if expression.operator == "**" else " "
            operator = f"{space}{expression.operator}{space}"
            return f"{flat(expression.left)}{operator}{flat(expression.right)}"
        case Comprehension():
            return f"{flat(expression.item)} {expression.clause}"
        case _:
            return expression


def statement(prefix: str, expression: Expression, depth: int, suffix: str = "") -> list[str]:
    """Return the lines of ``prefix + expression + suffix`` at a depth of indentation."""
    start = INDENT * depth + prefix
    line = f"{start}{flat(expression)}{suffix}"
    if len(line) <= LINE_LENGTH:
        return [line]
    match expression:
        case Group() if expression.items:
            return _broken_group(start, expression, depth, suffix)
        case Infix():
            return _broken_infix(start, expression, depth, suffix)
        case _:
            return [line]


def returned(items: list[Expression], depth: int) -> list[str]:
    """Return the lines of a ``return`` of one value or of a tuple."""
    if len(items) == 1:
        return statement("return ", items[0], depth)
    line = f"{INDENT * depth}return {', '.join(flat(item) for item in items)}"
    if len(line) <= LINE_LENGTH:
        return [line]
    return _broken_group(f"{INDENT * depth}return ", tuple_of(items), depth, "")


def _broken_group(start: str, group: Group, depth: int, suffix: str) -> list[str]:
    close = f"{INDENT * depth}{group.close.lstrip(',')}{suffix}"
    inner = f"{INDENT * (depth + 1)}{', '.join(flat(item) for item in group.items)}"
    if group.is_call and len(inner) <= LINE_LENGTH:
        return [f"{start}{group.head}", inner, close]
    lines = [f"{start}{group.head}"]
    only = group.items[0]
    if isinstance(only, Comprehension):
        lines += statement("", only.item, depth + 1)
        return [*lines, f"{INDENT * (depth + 1)}{only.clause}", close]
    is_only = group.is_call and len(group.items) == 1 and isinstance(only, Group)
    for item in group.items:
        lines += statement("", item, depth + 1, "" if is_only else ",")
    return [*lines, close]


def _broken_infix(start: str, infix: Infix, depth: int, suffix: str) -> list[str]:
    inside = INDENT * (depth + 1)
    line = f"{inside}{flat(infix)}"
    if len(line) > LINE_LENGTH:
        body = [
            f"{inside}{flat(infix.left)}",
            f"{inside}{infix.operator} {flat(infix.right)}",
        ]
    else:
        body = [line]
    return [f"{start}(", *body, f"{INDENT * depth}){suffix}"]
