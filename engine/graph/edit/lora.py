"""Low-rank adaptation (LoRA) of layers: a block in the place of a layer that holds the layer,
frozen, and beside it a pair of small ones whose product is all that is trained.

Hu et al. 2021, arXiv:2106.09685: ``W x + alpha / rank * B A x`` with ``A`` of ``rank`` rows and
``B`` of as many columns. As one of the two begins at zero, the block begins with exactly what the
layer gives. Its modules have the names that they have in PEFT: ``base_layer``, ``lora_A``,
``lora_B``.
"""

from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from engine.catalog.spec import AUTO, Value
from engine.graph.block import (
    BLOCK_INPUT,
    BLOCK_OUTPUT,
    PREFIX,
    SEPARATOR,
    block_at,
    block_name,
    block_of,
    body,
    node_at,
    type_entry,
    used_blocks,
    uses,
)
from engine.graph.error import GraphError
from engine.graph.expand import expand
from engine.graph.model import Block, Edge, Graph, Initial, Node
from engine.graph.module_name import module_name
from engine.graph.naming import free_name
from engine.graph.node_state.freezing import all_trained, can_be_frozen, weights_owner

BASE, DOWN, UP = "base_layer", "lora_A", "lora_B"
PAIR = (DOWN, UP)
_DROPOUT, _SCALE, _SUM = "lora_dropout", "scaling", "result"
_CONVOLUTIONS = ("Conv1d", "Conv2d", "Conv3d")
_TYPES = ("Linear", "Embedding", *_CONVOLUTIONS)
_WINDOW = ("kernel_size", "stride", "padding", "dilation", "padding_mode")
_SIZES = ("in_features", "in_channels", "num_embeddings")  # may be inferred in one, not the other
_COLUMN, _ROW = 220.0, 110.0  # of the drawing, in scene units
MOST_RANK = 4_096

_Claim = Callable[[Graph, Node], bool]
_Change = Callable[[Graph, Node], Graph]


class AddLora(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag=True):
    """Put low-rank blocks in the place of layers; of a block, of all layers in it that can have
    one. ``places`` are paths; inside of a block it holds for all its uses, as every edit there.
    ``alpha`` over ``rank`` is the factor of the pair; ``dropout`` what its input loses, 0 to 1.
    With ``freeze_rest`` all other layers of the model are frozen, too.
    """

    places: tuple[str, ...]
    rank: int = 8
    alpha: float = 16.0
    dropout: float = 0.0
    freeze_rest: bool = True


class RemoveLora(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag=True):
    """Put the layer that a low-rank block holds back in its place, trained again; of a block, all
    that are in it. What the pairs have learned is not in the graph: see ``engine.export.lora``.
    """

    places: tuple[str, ...]


LoraEdit = AddLora | RemoveLora


class Lora(NamedTuple):
    """What a low-rank block is made of: the layer, the pair, and the factor of their product."""

    base: Node
    down: Node
    up: Node
    scale: float

    @property
    def rank(self) -> int:
        """How many rows ``lora_A`` has; 0 where that cannot be known."""
        sizes = ("out_features", "out_channels", "embedding_dim")
        found = next((self.down.params[name] for name in sizes if name in self.down.params), 0)
        return found if isinstance(found, int) else 0


def apply_lora(edit: LoraEdit, graph: Graph) -> Graph:
    """Return the graph after an edit. Raises :class:`GraphError`."""
    return _add(edit, graph) if isinstance(edit, AddLora) else _remove(edit, graph)


def lora_of(graph: Graph, node: Node) -> Lora | None:
    """Return what a node is made of where it is a use of a low-rank block, however it got there."""
    block = block_of(graph, node)
    return None if block is None else lora_in(block)


def lora_in(block: Block) -> Lora | None:
    """Return what a block is made of where it is a low-rank block: it computes nothing else."""
    named = {node.name: node for node in block.nodes.values()}
    kinds = [node.type for node in block.nodes.values()]
    is_whole = {BASE, DOWN, UP, _SCALE} <= named.keys() and kinds.count(BLOCK_INPUT) == 1
    if not is_whole or kinds.count(BLOCK_OUTPUT) != 1 or kinds.count("add") != 1:
        return None
    base, scale = named[BASE], named[_SCALE].params.get("other")
    lora = Lora(base, named[DOWN], named[UP], 1.0)
    if not isinstance(scale, int | float) or lora.rank < 1 or not _can_have(base):
        return None
    expected = _block(base, lora.rank, scale, 0.5 if "Dropout" in kinds else 0.0)
    roles = {node.id: _role(node) for node in block.nodes.values()}
    if _edges(block, roles) != _edges(expected, {key: key for key in expected.nodes}):
        return None
    is_same = len(block.nodes) == len(expected.nodes) and all(
        roles[key] in expected.nodes and _is_like(node, expected.nodes[roles[key]])
        for key, node in block.nodes.items()
    )
    return lora._replace(scale=float(scale)) if is_same else None


def loras(graph: Graph) -> dict[str, Lora]:
    """Return the low-rank blocks of a model by the names of their modules, each copy for itself;
    one that is called several times once.
    """
    found: dict[str, Lora] = {}
    for path, name in expand(graph).owners.items():
        block = graph.blocks.get(name)
        lora = None if block is None else lora_in(block)
        if lora is not None:
            found.setdefault(module_name(graph, path), lora)
    return found


def lora_paths(graph: Graph, places: tuple[str, ...]) -> tuple[str, ...]:
    """Return the paths of the low-rank blocks at places and inside of the blocks there."""
    return tuple(_found(graph, places, lambda level, node: lora_of(level, node) is not None))


def frozen_rest(graph: Graph) -> tuple[str, ...]:
    """Return the names of what is frozen beside the layers inside of low-rank blocks, behind the
    name of its block where it is in one.
    """
    levels = {"": graph.nodes} | {
        f"{key}.": block.nodes for key, block in graph.blocks.items() if lora_in(block) is None
    }
    return tuple(
        prefix + node.name
        for prefix, nodes in levels.items()
        for node in nodes.values()
        if node.frozen
    )


def with_rest_trained(graph: Graph) -> Graph:
    """Return the graph with nothing frozen but the layers inside of low-rank blocks."""
    kept = {key: block for key, block in graph.blocks.items() if lora_in(block) is not None}
    after = all_trained(graph)
    return replace(after, blocks={**after.blocks, **kept})


def layer_paths(graph: Graph, places: tuple[str, ...]) -> tuple[str, ...]:
    """Return the paths of the layers at places, and inside of the blocks there, that can have a
    low-rank block.
    """
    return tuple(_found(graph, places, lambda _, node: _can_have(node)))


def _can_have(node: Node) -> bool:
    """Return whether the product of two layers can be added to the weights of a layer."""
    if node.type not in _TYPES:
        return False
    has_groups = node.params.get("groups", 1) != 1  # the product would cross the groups
    changes_itself = node.params.get("max_norm") is not None  # in forward, frozen or not
    return not has_groups and not changes_itself and not node.bypassed and not node.muted


def _found(graph: Graph, places: tuple[str, ...], is_meant: _Claim) -> Iterator[str]:
    """Yield the paths of what is meant at places, a definition that is used twice once."""
    seen: set[tuple[str, str]] = set()
    for place in places:
        at = node_at(graph, place)
        if at is not None:
            holder = block_at(graph, tuple(place.split(SEPARATOR)[:-1]))
            yield from _inside(at[0], at[1], place, (holder, is_meant, seen))


def _inside(
    level: Graph, node: Node, place: str, look: tuple[str, _Claim, set[tuple[str, str]]]
) -> Iterator[str]:
    holder, is_meant, seen = look
    owner = weights_owner(level, node)
    if (holder, owner.id) in seen:
        return
    seen.add((holder, owner.id))
    above, _, _ = place.rpartition(SEPARATOR)
    place = f"{above}{SEPARATOR}{owner.id}" if above else owner.id
    if is_meant(level, owner):
        yield place
        return
    block = block_of(level, owner)
    if block is None or lora_in(block) is not None:
        return
    inner = body(level, block)
    for each in block.nodes.values():
        below = (block_name(owner), is_meant, seen)
        yield from _inside(inner, each, f"{place}{SEPARATOR}{each.id}", below)


def _add(edit: AddLora, graph: Graph) -> Graph:
    for code, is_right in (
        ("V032", 1 <= edit.rank <= MOST_RANK),
        ("V033", 0 < edit.alpha < float("inf")),
        ("V034", 0 <= edit.dropout < 1),
    ):
        if not is_right:
            raise GraphError.of(code, most=MOST_RANK)
    places = layer_paths(graph, edit.places)
    if not places:
        at = node_at(graph, edit.places[0]) if edit.places else None
        raise GraphError.of("V035", name="" if at is None else at[1].name)
    for place in places:
        graph = _changed(graph, place, _with_block(edit))
    return _frozen(graph, is_all=edit.freeze_rest)


def _remove(edit: RemoveLora, graph: Graph) -> Graph:
    places = lora_paths(graph, edit.places)
    if not places:
        at = node_at(graph, edit.places[0]) if edit.places else None
        raise GraphError.of("V036", name="" if at is None else at[1].name)
    for place in places:
        graph = _changed(graph, place, _without_block)
    return graph


def _changed(graph: Graph, place: str, change: _Change) -> Graph:
    """Return the graph with a node changed where it is written: in the model or a definition."""
    *above, node_id = place.split(SEPARATOR)
    holder = block_at(graph, tuple(above))
    if not holder:
        return change(graph, graph.nodes[node_id])
    block = graph.blocks[holder]
    level = body(graph, block)
    after = change(level, level.nodes[node_id])
    blocks = {**after.blocks, holder: replace(block, nodes=after.nodes)}
    return _without_unused(replace(graph, blocks=blocks), set(graph.blocks) - set(after.blocks))


def _with_block(edit: AddLora) -> _Change:
    def change(level: Graph, node: Node) -> Graph:
        block = _block(node, edit.rank, edit.alpha / edit.rank, edit.dropout)
        base = f"LoRA{node.type}"
        name = next((known for known in level.blocks if level.blocks[known] == block), "")
        name = name or free_name(base, level.blocks)
        use = replace(node, type=PREFIX + name, params={}, init={}, frozen=False)
        after = replace(level, blocks={**level.blocks, name: block})
        return _in_place(after, use)

    return change


def _without_block(level: Graph, node: Node) -> Graph:
    lora, name = lora_of(level, node), block_name(node)
    assert lora is not None
    layer = replace(node, type=lora.base.type, params=lora.base.params, init=lora.base.init)
    after = _in_place(level, replace(layer, frozen=False))
    return _without_unused(after, {name})


def _without_unused(graph: Graph, names: set[str]) -> Graph:
    """Return the graph without those of some definitions that nothing uses, if not to be kept."""
    gone = {
        name
        for name in names
        if name in graph.blocks
        and not graph.blocks[name].kept
        and next(uses(graph, name), None) is None
    }
    return replace(graph, blocks={k: v for k, v in graph.blocks.items() if k not in gone})


def _in_place(level: Graph, node: Node) -> Graph:
    """Return a level with a node instead of the one of its id; what calls its module, too."""
    changed = {node.id, *(key for key, other in level.nodes.items() if other.shares == node.id)}
    ports = dict(zip(_ports(level, level.nodes[node.id]), _ports(level, node), strict=True))
    edges = tuple(
        replace(
            edge,
            source_port=ports[edge.source_port] if edge.source in changed else edge.source_port,
            target_port=ports[edge.target_port] if edge.target in changed else edge.target_port,
        )
        for edge in level.edges
    )
    nodes = {
        key: replace(other, type=node.type) if key in changed else other
        for key, other in level.nodes.items()
    }
    return replace(level, nodes={**nodes, node.id: node}, edges=edges)


def _ports(level: Graph, node: Node) -> tuple[str, str]:
    """Return the names of the input and the output of a layer or a low-rank block."""
    block = block_of(level, node)
    if block is None:
        return "input", "output"
    kinds = {each.type: key for key, each in block.nodes.items()}
    return kinds[BLOCK_INPUT], kinds[BLOCK_OUTPUT]


def _block(base: Node, rank: int, scale: float, dropout: float) -> Block:
    """Return the definition of a low-rank block around a layer."""
    down, up = _pair(base, rank)
    has_dropout = dropout > 0 and base.type != "Embedding"  # whose input are numbers of rows
    drop = Node(id=_DROPOUT, type="Dropout", name=_DROPOUT, params={"p": dropout})
    nodes = [
        Node(id="input", type=BLOCK_INPUT, name="x"),
        Node(id=BASE, type=base.type, name=BASE, params=base.params, init=base.init, frozen=True),
        *([drop] if has_dropout else []),
        down,
        up,
        Node(id=_SCALE, type="mul", name=_SCALE, params={"other": scale}),
        Node(id=_SUM, type="add", name=_SUM),
        Node(id="output", type=BLOCK_OUTPUT, name="output"),
    ]
    row = ["input", *([_DROPOUT] if has_dropout else []), DOWN, UP, _SCALE]
    wires = [
        *((a, b, "input") for a, b in pairwise(row)),
        ("input", BASE, "input"),
        (BASE, _SUM, "input"),
        (_SCALE, _SUM, "other"),
        (_SUM, "output", "input"),
    ]
    columns = {name: at * _COLUMN for at, name in enumerate([*row, _SUM, "output"])}
    columns[BASE] = columns[DOWN]
    rows = {BASE: -_ROW, **dict.fromkeys(row[1:], _ROW)}
    return Block(
        nodes={
            node.id: replace(node, position=(columns[node.id], rows.get(node.id, 0.0)))
            for node in nodes
        },
        edges=tuple(
            Edge(source=a, source_port="output", target=b, target_port=port) for a, b, port in wires
        ),
    )


def _pair(base: Node, rank: int) -> tuple[Node, Node]:
    """Return the two layers whose product goes beside a layer; one of them begins at zero."""
    params, zeros = base.params, {"weight": Initial(type="zeros_")}
    if base.type == "Embedding":
        kept = {key: params[key] for key in ("num_embeddings", "padding_idx") if key in params}
        down = Node(id=DOWN, type="Embedding", name=DOWN, init=zeros)
        up = {"out_features": params.get("embedding_dim", AUTO), "bias": False}
        return (
            replace(down, params={**kept, "embedding_dim": rank}),
            Node(id=UP, type="Linear", name=UP, params=up),
        )
    if base.type == "Linear":
        kept = {key: params[key] for key in ("in_features",) if key in params}
        size, kernel = "out_features", {}
    else:
        kept = {key: params[key] for key in ("in_channels", *_WINDOW) if key in params}
        size, kernel = "out_channels", {"kernel_size": 1}
    down = {**kept, size: rank, "bias": False}
    up = {size: params.get(size, AUTO), **kernel, "bias": False}
    return (
        Node(id=DOWN, type=base.type, name=DOWN, params=down),
        Node(id=UP, type=base.type, name=UP, params=up, init=zeros),
    )


def _role(node: Node) -> str:
    """Return the id that a node of a low-rank block has where this file made it."""
    kinds = {BLOCK_INPUT: "input", BLOCK_OUTPUT: "output", "add": _SUM, "Dropout": _DROPOUT}
    return kinds.get(node.type, node.name)


def _edges(block: Block, roles: Mapping[str, str]) -> set[tuple[str, str, str, str]]:
    return {
        (roles.get(e.source, ""), e.source_port, roles.get(e.target, ""), e.target_port)
        for e in block.edges
    }


def _is_like(node: Node, expected: Node) -> bool:
    """Return whether a node computes what the expected one does; sizes may be inferred in one."""
    is_once = node.repeat == 1 and not (node.shares or node.bypassed or node.muted)
    return node.type == expected.type and is_once and _said(node) == _said(expected)


def _said(node: Node) -> dict[str, Value]:
    entry = type_entry(Graph(), node.type)
    if entry is None or node.type == "Dropout":  # how much is lost changes no weight
        return {}
    return {
        param.name: entry.value(node.params, param.name)
        for param in entry.params
        if param.name not in _SIZES
    }


def _frozen(graph: Graph, *, is_all: bool) -> Graph:
    """Return the graph where no frozen block is around a low-rank one, whose pair would not be
    trained: all else in it is frozen instead. With ``is_all`` all layers of the model are.
    """
    inside = {name for name in graph.blocks if _holds_lora(graph, name)}
    waiting = [("", is_all), *((name, is_all) for name in inside)]
    done: set[tuple[str, bool]] = set()
    while waiting:
        holder, is_still = waiting.pop()
        if (holder, is_still) in done:
            continue
        done.add((holder, is_still))
        level = body(graph, graph.blocks[holder]) if holder else graph
        nodes = dict(level.nodes)
        for key, node in level.nodes.items():
            if block_name(node) in inside:
                waiting += [(block_name(node), True)] if node.frozen else []
                nodes[key] = replace(node, frozen=False)
            elif is_still and not node.shares and lora_of(level, node) is None:
                nodes[key] = replace(node, frozen=node.frozen or can_be_frozen(level, node))
        graph = _with_nodes(graph, holder, nodes)
    return graph


def _holds_lora(graph: Graph, name: str) -> bool:
    """Return whether there is a low-rank block in a block, which is none itself."""
    below = used_blocks(graph.blocks, graph.blocks[name].nodes.values())
    is_lora = lora_in(graph.blocks[name]) is not None
    return not is_lora and any(lora_in(graph.blocks[each]) is not None for each in below)


def _with_nodes(graph: Graph, holder: str, nodes: dict[str, Node]) -> Graph:
    if not holder:
        return replace(graph, nodes=nodes)
    block = replace(graph.blocks[holder], nodes=nodes)
    return replace(graph, blocks={**graph.blocks, holder: block})
