"""Weight tying in a text: ``self.head.weight = self.words.weight``."""

import ast

import libcst as cst

from engine.codegen.generated import Tie
from engine.graph.model import Graph
from engine.graph.module_name import weight_location
from engine.reader.read.assembly import Assembly, MatchedLevel
from engine.reader.text.rename import code_of


def ties(assembly: Assembly) -> tuple[Tie, ...]:
    """Return the weights that a text takes from other modules, class by class."""
    pairs: dict[Tie, None] = {}
    for matched in assembly.levels:
        for statement in _made(matched.level.definition):
            pairs |= dict.fromkeys(Tie(matched.known, *pair) for pair in tied(statement))
    return tuple(pairs)


def _made(definition: cst.ClassDef | None) -> list[cst.BaseStatement]:
    """Return the statements of the ``__init__`` of a class."""
    return [
        one
        for function in (definition.body.body if definition is not None else ())
        if isinstance(function, cst.FunctionDef) and function.name.value == "__init__"
        for one in function.body.body
        if isinstance(one, cst.BaseStatement)
    ]


def tied(statement: cst.BaseStatement) -> list[tuple[str, str]]:
    """Return which weight gets which other one, by their names in the class; mostly none."""
    if not isinstance(statement, cst.SimpleStatementLine) or len(statement.body) != 1:
        return []
    made = ast.parse(code_of(statement)).body[0]
    if not isinstance(made, ast.Assign):
        return []
    source = _name(made.value)
    targets = [_name(target) for target in made.targets]
    return [(target, source) for target in targets if source and "." in target]


def _name(node: ast.expr) -> str:
    """Return ``layers.0.weight`` for ``self.layers[0].weight``; nothing for anything else."""
    parts: list[str] = []
    while True:
        match node:
            case ast.Attribute(value=inner, attr=name):
                parts.insert(0, name)
            case ast.Subscript(value=inner, slice=ast.Constant(value=int() | str() as key)):
                parts.insert(0, str(key))
            case ast.Name(id="self"):
                return ".".join(parts)
            case _:
                return ""
        node = inner


def is_past(
    statement: cst.BaseStatement, assembly: Assembly, matched: MatchedLevel, goal: Graph
) -> bool:
    """Return whether a statement ties a weight of a module that the graph has no more."""
    previous = Graph(nodes=matched.nodes, blocks=assembly.result.blocks)
    return any(
        weight_location(previous, name) is not None and weight_location(goal, name) is None
        for pair in tied(statement)
        for name in pair
    )
