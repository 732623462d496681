"""Initialization of parameters as lines of ``__init__`` behind the making of the layers:
``nn.init.kaiming_normal_(self.conv.weight, mode="fan_out", nonlinearity="relu")``.
"""

from collections.abc import Mapping

from engine.catalog.code.target import written_target
from engine.catalog.spec import (
    Entry,
    ParamKind,
    ParamSpec,
    Value,
    WeightMatch,
    WeightSpec,
)
from engine.codegen.construction import items_of
from engine.codegen.inline import children_of, is_inline
from engine.graph.block import SEPARATOR, block_of, body, entry_of
from engine.graph.model import Block, Graph, Initial, Node
from engine.graph.node_state.initialization import FILE, chosen_initials, initialiser
from engine.syntax.call import Argument, Arguments, Built, Constant, constructor_arguments
from engine.syntax.format import INDENT, Expression, Line, call, statement

_DEPTH = 2
_CONDITIONS = {
    WeightMatch.PREFIX: 'if name.startswith("{name}"):',
    WeightMatch.SUFFIX: 'if name.endswith("{name}"):',
    WeightMatch.MATRICES: "if weight.dim() > 1:",
}


def initializations(graph: Graph, node: Node, reached: str, place: str) -> list[Line]:
    """Return the statements about a node and what is written inside it (chains of layers).

    ``reached`` is the expression of its module, ``place`` its path in the model. A block that is a
    class of its own says itself how it begins.
    """
    return _copies(graph, node, reached, place, _DEPTH)


def _copies(graph: Graph, node: Node, reached: str, place: str, depth: int) -> list[Line]:
    if node.repeat == 1 or node.tied:
        return _module(graph, node, reached, place, depth)
    copy = "layer" if depth == _DEPTH else f"layer_{depth}"
    inside = _module(graph, node, copy, place, depth + 1)
    head = [Line(f"{INDENT * depth}for {copy} in {reached}:", place)]
    has_statement = any(not line.text.lstrip().startswith("#") for line in inside)
    return [*head, *inside] if has_statement else inside


def _module(graph: Graph, node: Node, reached: str, place: str, depth: int) -> list[Line]:
    block = block_of(graph, node)
    if block is None:
        return [Line(text, place) for text in _own(graph, node, reached, depth)]
    if is_inline(graph, block):
        return _children(graph, block, reached, place, depth)
    return []


def _children(graph: Graph, block: Block, reached: str, place: str, depth: int) -> list[Line]:
    inside = body(graph, block)
    lines: list[Line] = []
    for node, access in children_of(graph, block):
        lines += _copies(inside, node, f"{reached}{access}", f"{place}{SEPARATOR}{node.id}", depth)
    return lines


def _own(graph: Graph, node: Node, reached: str, depth: int) -> list[str]:
    lines: list[str] = []
    for weight, initial in chosen_initials(graph, node).values():
        entry = initialiser(graph, initial.type)
        if entry is None:
            continue
        if initial.type == FILE:
            lines.append(f"{INDENT * depth}# {reached}.{weight.name}: {_file_words(initial)}")
        elif weight.match is WeightMatch.ONE:
            lines += _statement(entry, initial, f"{reached}.{weight.name}", depth)
        else:
            lines += _loop(entry, initial, reached, weight, depth)
    return [*lines, *_padding(graph, node, reached, depth)]


def _file_words(initial: Initial) -> str:
    name = str(initial.params.get("tensor", ""))
    file = str(initial.params.get("file", ""))
    words = f'"{name}" in {file}' if name else file
    return f"initialized from {' '.join(words.split())}"


def _loop(
    entry: Entry, initial: Initial, reached: str, weight: WeightSpec, depth: int
) -> list[str]:
    """Return the statements for parameters that are alike: those of all layers of an LSTM."""
    is_by_name = weight.match is not WeightMatch.MATRICES
    targets = "name, weight" if is_by_name else "weight"
    source = "named_parameters" if is_by_name else "parameters"
    condition = _CONDITIONS[weight.match].format(name=weight.name)
    return [
        f"{INDENT * depth}for {targets} in {reached}.{source}():",
        f"{INDENT * (depth + 1)}{condition}",
        *_statement(entry, initial, "weight", depth + 2),
    ]


def _statement(entry: Entry, initial: Initial, target: str, depth: int) -> list[str]:
    values = {spec.name: entry.value(initial.params, spec.name) for spec in entry.params}
    items: list[Expression] = [target, *items_of(_arguments(entry, values), {})]
    return statement("", call(written_target(entry.target), items), depth)


def _arguments(entry: Entry, values: Mapping[str, Value]) -> Arguments:
    """Return what an initialiser is told; a gain for an activation is written as it is found."""
    arguments = constructor_arguments(entry, values)
    activation = values.get("activation")
    if entry.param("gain") is None or activation is None:
        return Arguments(arguments.positional, _without(arguments, "activation"))
    spec = ParamSpec(name="nonlinearity", kind=ParamKind.STR)
    gain = Built("nn.init.calculate_gain", Arguments((Constant(activation, spec),)))
    kept = _without(arguments, "activation", "gain")
    return Arguments(arguments.positional, (("gain", gain), *kept))


def _without(arguments: Arguments, *names: str) -> tuple[tuple[str, Argument], ...]:
    return tuple(item for item in arguments.keywords if item[0] not in names)


def _padding(graph: Graph, node: Node, reached: str, depth: int) -> list[str]:
    """Return what keeps the row of the padding at zero, as an embedding has it from the start."""
    entry = entry_of(graph, node)
    row = node.params.get("padding_idx")
    is_filled = "weight" in node.init and node.init["weight"].type != FILE
    if entry is None or entry.param("padding_idx") is None or row is None or not is_filled:
        return []
    return [f"{INDENT * depth}nn.init.zeros_({reached}.weight[{row}])"]
