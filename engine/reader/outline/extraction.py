"""Extraction of a piece of a text as a function: what it reads comes in, what it gives comes out.

The text keeps the piece as it was typed; the function is what the node on the canvas is made from.
"""

import builtins
import math
import operator
import sys
from collections.abc import Mapping, Sequence
from functools import reduce
from typing import Any, NamedTuple

import libcst as cst
import torch
from typing_extensions import override

from engine.graph.code import PARTS_FILE, code_symbol
from engine.graph.naming import free_name, name_problem
from engine.reader.interpreter.expression import Evaluator
from engine.reader.interpreter.value import (
    Built,
    Custom,
    Dtype,
    Function,
    Later,
    Library,
    Made,
    Member,
    Modules,
    Opaque,
    Part,
    Ref,
    Shape,
    Size,
    Tail,
    UnreadError,
    Use,
)
from engine.reader.outline.free_names import free_names, given_names, text_of, unsure_names
from engine.reader.text.rename import Renaming
from engine.reader.text.statement_writer import statements

_KINDS = ((bool, "bool"), (int, "int"), (float, "float"), (str, "str"))
_FUNCTIONAL = {"F": "import torch.nn.functional as F"}
_MOST_STATEMENTS = 200


class Construction(NamedTuple):
    """An expression with the statements before it, the parameters (as text, and with their values)
    and the imports of a function that gives it.
    """

    text: str
    before: list[str]
    params: list[str]
    values: dict[str, Any]
    imports: tuple[str, ...]


class Extraction:
    """Makes a function of statements that are carried out with the names of an evaluator.

    ``syntax`` is the piece, for what is told about it.
    """

    def __init__(self, evaluator: Evaluator, syntax: cst.CSTNode) -> None:
        self._evaluator = evaluator
        self._syntax = syntax
        self._wires: dict[str, Ref] = {}
        self._params: dict[str, Any] = {}
        self._prelude: list[cst.BaseStatement] = []
        self._imports: dict[str, str] = {}
        self._local: dict[str, Any] = {}  # what a name of the function stands for
        self._is_layer = False
        self._again: list[cst.BaseStatement] = []  # what was computed before and is once more

    def made(self, body: Sequence[cst.BaseStatement], results: Sequence[str], word: str) -> Made:
        """Return the node of statements whose last one returns, or that give ``results``.

        Raises :class:`UnreadError` where a node cannot stand for them.
        """
        code = self._taken(body, self._evaluator.names)
        if not self._wires:
            raise UnreadError(self._syntax, "T010")
        if results:
            code = [*code, *statements([f"return {', '.join(results)}"])]
        params = [cst.Param(cst.Name("self"))] if self._is_layer else []
        params += [cst.Param(cst.Name(name)) for name in self._wires]
        for name, value in self._params.items():
            params.append(cst.Param(cst.Name(name), cst.Annotation(cst.Name(_kind(value)))))
        whole = [_bare(one) for one in (*self._prelude, *code)]
        function = cst.FunctionDef(
            name=cst.Name("forward" if self._is_layer else "part"),
            params=cst.Parameters(params=params),
            body=cst.IndentedBlock(body=whole),
        )
        if self._is_layer:
            self.given("nn", Library("torch.nn"))
        definition = _layer(function) if self._is_layer else function
        imports = tuple(self._imports.values())
        part = Part(definition=definition, word=word, imports=imports)
        return Made(type="", params=self._params, wires=self._wires, syntax=self._syntax, part=part)

    def reads_tensors(self, body: Sequence[cst.BaseStatement]) -> bool:
        """Return whether statements need a tensor. Raises :class:`UnreadError` as ``made`` does."""
        self._taken(body, self._evaluator.names)
        return bool(self._wires)

    def _taken(
        self, body: Sequence[cst.BaseStatement], names: Mapping[str, Any]
    ) -> list[cst.BaseStatement]:
        """Return statements with all that they read brought into the function."""
        if len(self._prelude) > _MOST_STATEMENTS:
            raise UnreadError(self._syntax, "T011")
        owned = _OwnAttributes(self)
        code = [one.visit(owned) for one in body]
        plain = [one for one in code if isinstance(one, cst.BaseStatement)]
        mapping: dict[str, str] = {}
        given = given_names(plain)
        for name in dict.fromkeys([*free_names(plain), *unsure_names(plain)]):
            if name in owned.given or (name not in names and name in given):
                continue
            local = self._bound(name, names)
            if local != name:
                mapping[name] = local
        _Paths(self._syntax, names).check(plain)
        renamed = [one.visit(Renaming(mapping)) for one in plain] if mapping else plain
        return [one for one in renamed if isinstance(one, cst.BaseStatement)]

    def _bound(self, name: str, names: Mapping[str, Any]) -> str:
        """Bring what a name stands for into the function; return what it is called there."""
        if name not in names:
            if name == "self":
                raise UnreadError(self._syntax, "T010")
            if not hasattr(builtins, name):
                raise UnreadError(self._syntax, "T013", name=name)
            return name
        return self.given(name, names[name])

    def given(self, name: str, value: Any) -> str:
        """Bring a value into the function under a name; return the name that it has there."""
        if name in self._local and _is_same(self._local[name], value):
            return name
        if isinstance(value, Later):
            return self._later(name, value)
        if isinstance(value, Function) and isinstance(value.definition, cst.FunctionDef):
            if value.owner is not None:
                raise UnreadError(self._syntax, "T033", name=name)
            return self._later(
                name, Later(value.definition, {**self._evaluator.names, **value.names})
            )
        local = free_name(name if name_problem(name) is None else f"{name}_", self._local)
        self._local[local] = value
        match value:
            case Ref():
                self._wires[local] = value
            case bool() | int() | float() | str():
                self._params[local] = value
            case Size() | Shape() | Tail():
                self._put(f"{local} = {self._measured(value)}")
            case Library():
                self._import(local, value.path)
            case Custom():
                self._import_own(local, value)
            case Built() | Opaque() | Member() | Modules() | Use():
                self._put(f"{local} = {self._made_again(name, value)}")
            case _:
                self._put(f"{local} = {self._literal(value)}")
        return local

    def _later(self, name: str, value: Later) -> str:
        """Compute again what a statement gave; the names that it gives stay those of the text."""
        if value.statement in self._again:
            return name
        if name in self._local:
            raise UnreadError(self._syntax, "T012")
        self._again.append(value.statement)
        self._prelude += self._taken([value.statement], value.before)
        self._local[name] = value
        return name

    def construction(self, node: cst.BaseExpression) -> Construction:
        """Return how a function gives the same as an expression. Raises :class:`UnreadError`."""
        text = self._text(node, self._evaluator.names)
        if self._wires or self._is_layer:
            raise UnreadError(self._syntax, "T010")
        params = [f"{name}: {_kind(value)}" for name, value in self._params.items()]
        self.given("nn", Library("torch.nn"))
        imports = tuple(self._imports.values())
        return Construction(
            text, [text_of(one) for one in self._prelude], params, self._params, imports
        )

    def _text(self, node: cst.BaseExpression, names: Mapping[str, Any]) -> str:
        """Return an expression with all that it reads brought into the function."""
        code = self._taken([cst.SimpleStatementLine([cst.Expr(node)])], names)[0]
        return cst.Module(body=[]).code_for_node(code).strip()

    def _made_again(self, name: str, value: Built | Opaque | Member | Modules | Use) -> str:
        """Return how a value is made, as text; a module cannot be made a second time."""
        content = value.content if isinstance(value, Member) else value
        match content:
            case Built(syntax=cst.BaseExpression() as node) if content is value:
                return self._text(node, self._evaluator.names)
            case Opaque() if content is value or is_value(content):
                return self._text(content.expression, content.evaluator.names)
            case Opaque():
                raise content.error
            case _:
                raise UnreadError(self._syntax, "T033", name=name)

    def _put(self, line: str) -> None:
        self._prelude += statements([line])

    def _measured(self, value: Size | Shape | Tail) -> str:
        tensor = next((n for n, ref in self._wires.items() if ref == value.tensor), "")
        tensor = tensor or self.given(_word(value.tensor), value.tensor)
        match value:
            case Size():
                return f"{tensor}.shape[{value.axis}]"
            case Shape():
                return f"{tensor}.shape"
            case Tail():
                return f"{tensor}.shape[1:]"

    def _literal(self, value: Any) -> str:  # noqa: PLR0911 - one case a kind
        match value:
            case None | bool() | int() | float() | str():
                is_written = not isinstance(value, float) or math.isfinite(value)
                return repr(value) if is_written else f'float("{value}")'
            case Ref():
                names = [name for name, ref in self._wires.items() if ref == value]
                return names[0] if names else self.given(_word(value), value)
            case Size() | Shape() | Tail():
                return self._measured(value)
            case Dtype():
                return f"{self.given('torch', Library('torch'))}.{value.name}"
            case list():
                return f"[{', '.join(map(self._literal, value))}]"
            case tuple():
                return f"({''.join(f'{self._literal(one)}, ' for one in value)})"
            case dict():
                pairs = (f"{self._literal(k)}: {self._literal(v)}" for k, v in value.items())
                return f"{{{', '.join(pairs)}}}"
            case _:
                raise UnreadError(self._syntax, "T010")

    def _import(self, local: str, path: str) -> None:
        home, dot, last = path.rpartition(".")
        if not path.replace(".", "_").isidentifier():
            raise UnreadError(self._syntax, "T010")
        as_local = "" if local == last else f" as {local}"
        line = f"from {home} import {last}{as_local}" if dot else f"import {path}{as_local}"
        is_functional = local == "F" and path == "torch.nn.functional"
        self._imports[local] = _FUNCTIONAL["F"] if is_functional else line

    def _import_own(self, local: str, value: Custom) -> None:
        symbol = code_symbol(value.entry.key)
        assert symbol is not None
        if symbol.file == PARTS_FILE:
            return
        if local != symbol.name:
            raise UnreadError(self._syntax, "T010")
        self._imports[local] = f"from {symbol.file.removesuffix('.py')} import {symbol.name}"

    def become_layer(self) -> None:
        """Let the piece be a layer, which knows whether it is in training."""
        self._is_layer = True

    def attribute(self, node: cst.Attribute) -> str:
        """Bring an attribute of ``self`` into the function; return its name there."""
        try:
            value = self._evaluator.evaluate(node)
        except UnreadError as error:
            raise UnreadError(self._syntax, error.code, **error.params) from error
        if isinstance(value, Function):
            raise UnreadError(self._syntax, "T033", name=node.attr.value)
        return self.given(node.attr.value, value)


class _OwnAttributes(cst.CSTTransformer):
    """Puts variables in the place of attributes of ``self``."""

    def __init__(self, extraction: Extraction) -> None:
        super().__init__()
        self._extraction = extraction
        self.given: set[str] = set()

    @override
    def leave_Attribute(
        self, original_node: cst.Attribute, updated_node: cst.Attribute
    ) -> cst.BaseExpression:
        owner = original_node.value
        if not isinstance(owner, cst.Name) or owner.value != "self":
            return updated_node
        if original_node.attr.value == "training":
            self.given.add("self")
            self._extraction.become_layer()
            return updated_node
        name = self._extraction.attribute(original_node)
        self.given.add(name)
        return cst.Name(name, lpar=updated_node.lpar, rpar=updated_node.rpar)


class _Paths(cst.CSTVisitor):
    """Finds what is asked of PyTorch that it does not have."""

    def __init__(self, syntax: cst.CSTNode, names: Mapping[str, Any]) -> None:
        super().__init__()
        self._names = names
        self._syntax = syntax

    def check(self, code: Sequence[cst.BaseStatement]) -> None:
        """Raise :class:`UnreadError` where there is one."""
        for one in code:
            one.visit(self)

    @override
    def visit_Attribute(self, node: cst.Attribute) -> None:
        parts: list[str] = []
        inner: cst.BaseExpression = node
        while isinstance(inner, cst.Attribute):
            parts.insert(0, inner.attr.value)
            inner = inner.value
        library = self._names.get(inner.value) if isinstance(inner, cst.Name) else None
        path = library.path.split(".") if isinstance(library, Library) else []
        if path[:1] != ["torch"]:
            return
        try:
            reduce(getattr, [*path[1:], *parts], torch)
        except AttributeError as error:
            raise UnreadError(self._syntax, "T035", name=parts[-1]) from error


def is_value(content: Any) -> bool:
    """Return whether a value that only running tells is no module: it comes from numbers, Python's
    own library and numpy alone.
    """
    if not isinstance(content, Opaque):
        return False
    names = content.evaluator.names
    line = cst.SimpleStatementLine([cst.Expr(content.expression)])
    return all(_is_plain(names[name]) for name in free_names([line]) if name in names)


def _is_plain(value: Any) -> bool:
    if isinstance(value, Library):
        root = value.path.partition(".")[0]
        return root == "numpy" or root in sys.stdlib_module_names
    return is_value(value) or value is None or isinstance(value, bool | int | float | str)


def _kind(value: Any) -> str:
    return next(word for kind, word in _KINDS if isinstance(value, kind))


def _layer(forward: cst.FunctionDef) -> cst.ClassDef:
    base = cst.Arg(cst.Attribute(cst.Name("nn"), cst.Name("Module")))
    return cst.ClassDef(name=cst.Name("part"), bases=[base], body=cst.IndentedBlock(body=[forward]))


def _is_same(one: Any, other: Any) -> bool:
    return one is other or (type(one) is type(other) and bool(operator.eq(one, other)))


def _word(ref: Ref) -> str:
    word = ref.made.attribute.rpartition(".")[2] or ref.made.variable
    return word if name_problem(word) is None and not ref.made.variable else "value"


def _bare(statement: cst.BaseStatement) -> cst.BaseStatement:
    if isinstance(statement, cst.SimpleStatementLine | cst.BaseCompoundStatement):
        return statement.with_changes(leading_lines=())
    return statement
