"""Renaming in a tree; everything else stays as it is."""

import ast
from collections.abc import Mapping, Sequence

import libcst as cst
from typing_extensions import override

REGISTERING = ("register_buffer", "register_parameter", "register_module", "add_module")
"""Methods of a module that give an attribute a value by its name."""


class Renaming(cst.CSTTransformer):
    """Gives variables (or classes) other names, and attributes of ``self``."""

    def __init__(
        self, names: Mapping[str, str] | None = None, attributes: Mapping[str, str] | None = None
    ) -> None:
        super().__init__()
        self._names = names or {}
        self._attributes = attributes or {}

    @override
    def visit_Attribute(self, node: cst.Attribute) -> bool:
        return True

    @override
    def visit_Attribute_attr(self, node: cst.Attribute) -> None:
        self._held = node.attr

    @override
    def visit_Arg_keyword(self, node: cst.Arg) -> None:
        self._keyword = node.keyword

    @override
    def leave_Name(self, original_node: cst.Name, updated_node: cst.Name) -> cst.BaseExpression:
        is_other = original_node in (getattr(self, "_held", None), getattr(self, "_keyword", None))
        name = self._names.get(original_node.value)
        if is_other or name is None:
            return updated_node
        if name.isidentifier():
            return updated_node.with_changes(value=name)
        held = cst.parse_expression(name)  # a tensor of the module: ``self.scale``
        return held.with_changes(lpar=updated_node.lpar, rpar=updated_node.rpar)

    @override
    def leave_Call(self, original_node: cst.Call, updated_node: cst.Call) -> cst.Call:
        held = registered_name(original_node)
        name = None if held is None else self._attributes.get(str(held.evaluated_value))
        if held is None or name is None:
            return updated_node
        word = held.with_changes(value=held.value.replace(str(held.evaluated_value), name))
        first, *others = updated_node.args
        return updated_node.with_changes(args=[first.with_changes(value=word), *others])

    @override
    def leave_Attribute(
        self, original_node: cst.Attribute, updated_node: cst.Attribute
    ) -> cst.Attribute:
        name = self._attributes.get(original_node.attr.value)
        is_own = isinstance(original_node.value, cst.Name) and original_node.value.value == "self"
        if name is None or not is_own:
            return updated_node
        return updated_node.with_changes(attr=updated_node.attr.with_changes(value=name))


def registered_name(call: cst.Call) -> cst.SimpleString | None:
    """Return the text in ``self.register_buffer("name", ...)`` and the like; nothing for other
    calls.
    """
    if code_of(call.func) not in [f"self.{name}" for name in REGISTERING] or not call.args:
        return None
    name = call.args[0].value
    is_text = isinstance(name, cst.SimpleString) and isinstance(name.evaluated_value, str)
    return name if is_text and isinstance(name, cst.SimpleString) else None


def read_names(node: cst.CSTNode) -> set[str]:
    """Return the names that a statement reads: not what it gives a value, no attributes."""
    names: set[str] = set()
    waiting: list[cst.CSTNode] = [node]
    while waiting:
        one = waiting.pop()
        match one:
            case cst.Name():
                names.add(one.value)
            case cst.Attribute():
                waiting.append(one.value)
            case cst.Arg():
                waiting.append(one.value)
            case cst.AssignTarget():
                waiting += [] if _is_plain(one.target) else [one.target]
            case _:
                waiting += one.children
    return names


def imported_names(statement: cst.BaseStatement) -> set[str]:
    """Return the names that an import gives."""
    imported: set[str] = set()
    parts = statement.body if isinstance(statement, cst.SimpleStatementLine) else ()
    for one in parts:
        if isinstance(one, cst.Import | cst.ImportFrom) and not isinstance(
            one.names, cst.ImportStar
        ):
            for alias in one.names:
                name = alias.asname.name if alias.asname is not None else alias.name
                while isinstance(name, cst.Attribute):
                    name = name.value
                imported |= {name.value} if isinstance(name, cst.Name) else set()
    return imported


def _is_plain(target: cst.BaseExpression) -> bool:
    if isinstance(target, cst.Tuple | cst.List):
        return all(_is_plain(element.value) for element in target.elements)
    return isinstance(target, cst.Name)


def with_reads(statement: cst.BaseStatement, names: Mapping[str, str]) -> cst.BaseStatement:
    """Return a plain statement that reads other variables; what it gives a value keeps its name."""
    if not names:
        return statement
    assert isinstance(statement, cst.SimpleStatementLine)
    body: list[cst.BaseSmallStatement] = []
    for one in statement.body:
        if isinstance(one, cst.Assign | cst.AnnAssign) and one.value is not None:
            value = one.value.visit(Renaming(names))
            body.append(one.with_changes(value=value))
        else:
            changed = one.visit(Renaming(names))
            assert isinstance(changed, cst.BaseSmallStatement)
            body.append(changed)
    return statement.with_changes(body=body)


def like(new: Sequence[cst.BaseStatement], old: cst.BaseStatement) -> list[cst.BaseStatement]:
    """Return statements with the comments of the one in whose place they stand."""
    statements = list(new)
    if not statements or not isinstance(old, cst.SimpleStatementLine | cst.For | cst.If):
        return statements
    statements[0] = statements[0].with_changes(leading_lines=old.leading_lines)
    last = statements[-1]
    if isinstance(old, cst.SimpleStatementLine) and isinstance(last, cst.SimpleStatementLine):
        statements[-1] = last.with_changes(trailing_whitespace=old.trailing_whitespace)
    return statements


def code_of(node: cst.CSTNode) -> str:
    """Return a part of a text in one spelling, to be compared."""
    text = cst.Module(body=[]).code_for_node(node)
    try:
        return ast.unparse(ast.parse(text.strip()))
    except SyntaxError:
        return text
