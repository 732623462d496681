"""Free names of a piece of a text, and the names it changes, as Python scopes them."""

import ast
import symtable
import textwrap
from collections.abc import Sequence

import libcst as cst

from engine.reader.interpreter.statement import given_by

_SHELL = "def shell():\n"
_EMPTY = cst.Module(body=[])


def free_names(statements: Sequence[cst.BaseStatement]) -> list[str]:
    """Return the names that statements read, in the order in which they stand; those that they
    also give a value to are among them where they may be read before that.
    """
    shell = _shell(statements)
    referenced = {one.get_name() for one in shell.get_symbols() if one.is_referenced()}
    referenced |= _inner(shell)
    tree = ast.parse("".join(map(text_of, statements)))
    for node in ast.walk(tree):
        target = node.target if isinstance(node, ast.AugAssign) else None
        if isinstance(target, ast.Name):
            referenced.add(target.id)
    positions = {
        node.id: (node.lineno, node.col_offset)
        for node in reversed(list(ast.walk(tree)))
        if isinstance(node, ast.Name)
    }
    return sorted(referenced & set(positions), key=lambda name: positions[name])


def given_names(statements: Sequence[cst.BaseStatement]) -> set[str]:
    """Return the names that statements give a value."""
    return {one.get_name() for one in _shell(statements).get_symbols() if one.is_local()}


def unsure_names(statements: Sequence[cst.BaseStatement]) -> list[str]:
    """Return the names that statements may or may not give a value: those before may last."""
    sure = set[str]().union(*(_surely_given(one) for one in statements))
    given = given_names(statements)
    return [name for one in statements for name in changed_names(one) if name in given - sure]


def _surely_given(statement: cst.CSTNode) -> set[str]:
    match statement:
        case cst.If(orelse=cst.BaseCompoundStatement() | cst.Else() as other):
            return _surely_given(statement.body) & _surely_given(other)
        case cst.With() | cst.Else():
            return _surely_given(statement.body)
        case cst.IndentedBlock() | cst.SimpleStatementSuite():
            return set[str]().union(*(_surely_given(one) for one in statement.body))
        case cst.If() | cst.For() | cst.While() | cst.Try():
            return set()
        case _:
            return {base_name(one) for one in given_by(statement) if isinstance(one, cst.Name)}


def _shell(statements: Sequence[cst.BaseStatement]) -> symtable.SymbolTable:
    text = "".join(map(text_of, statements))
    table = symtable.symtable(_SHELL + textwrap.indent(text, "    "), "", "exec")
    return table.get_children()[0]


def _inner(table: symtable.SymbolTable) -> set[str]:
    """Return what the scopes inside of one read of it or from further out."""
    names: set[str] = set()
    for child in table.get_children():
        local_names = {one.get_name() for one in child.get_symbols() if one.is_local()}
        read = {one.get_name() for one in child.get_symbols() if one.is_referenced()}
        names |= (read | _inner(child)) - local_names
    return names


def text_of(node: cst.CSTNode) -> str:
    """Return a statement as it is written, without the comments before it."""
    if isinstance(node, cst.SimpleStatementLine | cst.BaseCompoundStatement):
        node = node.with_changes(leading_lines=())
    return _EMPTY.code_for_node(node)


def changed_names(statement: cst.CSTNode) -> list[str]:
    """Return the names that a statement gives another value or whose value it changes in place:
    ``y``, and those in ``y[0] = 1``, ``y += 1``, ``y.clamp_(0)`` and ``outs.append(y)``.
    """
    names = [base_name(one) for one in given_by(statement)]
    waiting: list[cst.CSTNode] = [statement]
    while waiting:
        one = waiting.pop(0)
        if isinstance(one, cst.Expr) and isinstance(one.value, cst.Call):
            names.append(_changed_by(one.value))
        elif isinstance(one, cst.FunctionDef | cst.ClassDef | cst.Lambda):
            continue
        waiting += one.children
    return list(dict.fromkeys(name for name in names if name))


def _changed_by(call: cst.Call) -> str:
    name = call.func.attr.value if isinstance(call.func, cst.Attribute) else ""
    if not isinstance(call.func, cst.Attribute):
        return ""
    if name in ("append", "extend", "insert", "update", "setdefault"):
        return base_name(call.func.value)
    if not name.endswith("_") or name.endswith("__"):
        return ""
    owner = base_name(call.func.value)
    first = base_name(call.args[0].value) if call.args else ""
    return first if owner in ("torch", "F", "nn") else owner


def base_name(target: cst.BaseExpression) -> str:
    """Return the variable that a target is or is a part of; nothing for an attribute of ``self``
    and the like.
    """
    while isinstance(target, cst.Subscript):
        target = target.value
    if isinstance(target, cst.Attribute) and target.attr.value == "data":
        return base_name(target.value)
    return target.value if isinstance(target, cst.Name) else ""
