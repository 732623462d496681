"""Statements of ``__init__`` beside those that make modules: initialization and freezing."""

import ast
from collections.abc import Mapping

import libcst as cst
from msgspec.structs import replace

from engine.catalog.spec import Value
from engine.codegen.freezing import freezing
from engine.codegen.initialization import initializations
from engine.graph.model import Graph, Initial, Node
from engine.graph.node_state.initialization import initialiser
from engine.reader.interpreter.setting import put_setting
from engine.reader.interpreter.value import UnreadError
from engine.reader.text.rename import code_of
from engine.reader.text.statement_writer import statements

_INIT = "nn.init."


class Decorations:
    """What the ``__init__`` of a class says about the layers that it has made."""

    def __init__(self, definition: cst.ClassDef | None) -> None:
        self._statements: dict[str, cst.BaseStatement] = {}
        for one in definition.body.body if definition is not None else ():
            if isinstance(one, cst.FunctionDef) and one.name.value == "__init__":
                parts = [part for part in one.body.body if isinstance(part, cst.BaseStatement)]
                self._statements = {code_of(part): part for part in parts}

    def applied(self, level: Graph, node: Node, attribute: str) -> Node:
        """Return a node that begins and is frozen as the class says."""
        modules = _reached(attribute)
        is_frozen = any(f"{module}.requires_grad_(False)" in self._statements for module in modules)
        initials: dict[str, Initial] = {}
        for weight, initial in node.init.items():
            alone = replace(node, init={weight: initial})
            if any(self._says(initial_lines(level, alone, module)) for module in modules):
                initials[weight] = initial
        for module in modules:
            initials |= {w: i for w, i in self._typed(level, module).items() if w not in initials}
        return replace(node, init=initials, frozen=is_frozen)

    def _says(self, lines: list[str]) -> bool:
        return all(code_of(one) in self._statements for one in statements(lines))

    def _typed(self, level: Graph, module: str) -> dict[str, Initial]:
        """Return what is typed in the plain form ``nn.init.zeros_(self.head.bias)``."""
        initials: dict[str, Initial] = {}
        for text in self._statements:
            if not text.startswith(_INIT) or f"({module}." not in text:
                continue
            call = ast.parse(text).body[0]
            read = _read_call(level, call, module)
            if read is not None:
                initials[read[0]] = read[1]
        return initials


def _read_call(level: Graph, node: ast.stmt, module: str) -> tuple[str, Initial] | None:
    call = node.value if isinstance(node, ast.Expr) else None
    if not isinstance(call, ast.Call) or not call.args:
        return None
    target, key = ast.unparse(call.args[0]), ast.unparse(call.func).removeprefix(_INIT)
    weight = target.removeprefix(f"{module}.")
    entry = initialiser(level, key)
    if entry is None or not target.startswith(f"{module}.") or not weight.isidentifier():
        return None
    params: dict[str, Value] = {}
    names = [spec.name for spec in entry.params]
    try:
        given = dict(zip(names, map(ast.literal_eval, call.args[1:]), strict=False))
        given |= {one.arg or "": ast.literal_eval(one.value) for one in call.keywords}
        for name, value in given.items():
            put_setting(params, entry, name, value, cst.Pass())
    except (ValueError, UnreadError):
        return None
    return weight, Initial(type=key, params=params)


def _reached(attribute: str) -> list[str]:
    top, dot, key = attribute.partition(".")
    return [f"self.{top}[{key}]", f"self.{top}['{key}']"] if dot else [f"self.{top}"]


def initial_lines(level: Graph, node: Node, module: str) -> list[str]:
    """Return the lines that say how the weights of a node begin."""
    return [line.text for line in initializations(level, node, module, node.id)]


def decorations(level: Graph, nodes: Mapping[str, Node], attributes: Mapping[str, str]) -> set[str]:
    """Return all that generated code would say about nodes, each statement in one spelling."""
    texts: set[str] = set()
    graph = replace(level, nodes={**level.nodes, **nodes})
    for node_id, attribute in attributes.items():
        for module in _reached(attribute):
            lines = initial_lines(graph, nodes[node_id], module)
            lines += [line.text for line in freezing(graph, {node_id: module})]
            texts |= {code_of(one) for one in statements(lines)}
    return texts
