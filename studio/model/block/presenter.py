"""Blocks and repeats as the inspector shows them."""

from collections.abc import Iterable, Sequence

from engine.catalog.spec import Entry, EntryGroup
from engine.diagnostics import Diagnostic, sentence
from engine.graph.block import block_name, block_of, can_be_sequential, uses
from engine.graph.edit.switch import switch_of
from engine.graph.model import Block, Graph, Node
from studio.i18n import translate
from widgets.forms.view_model import FieldView, GroupView


def suggested_name(graph: Graph, nodes: Sequence[Node]) -> str:
    """Return a name for a block of some nodes: after what it is made of."""
    kinds = {node.type for node in nodes}
    targets = [edge.target for edge in graph.edges]
    if any(node.type == "add" and targets.count(node.id) > 1 for node in nodes):
        return "ResidualBlock"
    for mark, name in (("Conv", "ConvBlock"), ("Attention", "AttentionBlock")):
        if any(mark in kind for kind in kinds):
            return name
    return "LinearBlock" if "Linear" in kinds else "Block"


def present_repeat(
    node: Node, entry: Entry, problems: Iterable[Diagnostic], language: str
) -> tuple[GroupView, ...]:
    """Return the fields that say how often a layer or block follows itself."""
    if entry.group not in (EntryGroup.LAYER, EntryGroup.BLOCK) or node.shares or not entry.inputs:
        return ()
    fields = [
        FieldView(
            name="@repeat",
            label=translate("Inspector", "Repeats"),
            kind="int",
            text=str(node.repeat),
            default_text="1",
            minimum=1,
            maximum=1000,
            help=translate(
                "Inspector",
                "The number of copies in a row. The output of each copy is the input of the next.",
            ),
            error=_error("@repeat", problems, language),
            is_modified=node.repeat != 1,
        )
    ]
    if node.repeat > 1:
        fields.append(
            FieldView(
                name="@tied",
                label=translate("Inspector", "Share weights"),
                kind="bool",
                text="true" if node.tied else "false",
                default_text="false",
                help=translate(
                    "Inspector",
                    "On: a single module is called repeatedly. Off: each copy has its own weights.",
                ),
                is_modified=node.tied,
            )
        )
    return (GroupView(fields=tuple(fields), title=translate("Inspector", "Repeat")),)


def present_block(
    graph: Graph, node: Node, problems: Iterable[Diagnostic], language: str
) -> tuple[GroupView, ...]:
    """Return the fields of the block that a node is a use of; they hold for all its uses."""
    if block_of(graph, node) is None:
        return ()
    return present_definition(graph, block_name(node), problems, language)


def present_definition(
    graph: Graph, name: str, problems: Iterable[Diagnostic], language: str
) -> tuple[GroupView, ...]:
    """Return the fields of a block by its name."""
    block = graph.blocks[name]
    count = sum(1 for _ in uses(graph, name))
    note = translate("Inspector", "Applies to all {count} uses of the block.")
    return (
        GroupView(
            fields=(
                _name_field(name, _error("@block", problems, language)),
                *_branch_field(graph, block),
                *_style_field(graph, block),
                _note_field(block),
                _kept_field(block),
            ),
            title=translate("Inspector", "Block"),
            help=note.format(count=count),
        ),
    )


def _name_field(name: str, error: str) -> FieldView:
    return FieldView(
        name="@block",
        label=translate("Inspector", "Class name"),
        kind="str",
        text=name,
        default_text=name,
        help=translate("Inspector", "The name of the block and of its class in the code."),
        error=error,
    )


def _branch_field(graph: Graph, block: Block) -> tuple[FieldView, ...]:
    switch = switch_of(graph, block)
    if switch is None:
        return ()
    field = FieldView(
        name="@branch",
        label=translate("Inspector", "Active branch"),
        kind="choice",
        text=switch.active.id,
        default_text=switch.active.id,
        choices=tuple((node.id, node.name) for node in switch.branches),
        help=translate(
            "Inspector",
            "The branch that is used. The weights of all branches are kept and saved, but "
            "only those of the active branch are trained.",
        ),
    )
    return (field,)


def _style_field(graph: Graph, block: Block) -> tuple[FieldView, ...]:
    if not can_be_sequential(graph, block):
        return ()
    field = FieldView(
        name="@style",
        label=translate("Inspector", "Code style"),
        kind="choice",
        text=block.style.value,
        default_text="class",
        choices=(
            ("class", translate("Inspector", "separate class")),
            ("sequential", "nn.Sequential"),
        ),
        help=translate(
            "Inspector",
            "A chain of layers can be written inline as nn.Sequential. The state_dict keys "
            "are the same in both cases.",
        ),
    )
    return (field,)


def _note_field(block: Block) -> FieldView:
    return FieldView(
        name="@note",
        label=translate("Inspector", "Description"),
        kind="str",
        text=block.note,
        help=translate("Inspector", "A description of the block, shown in the palette."),
        is_modified=bool(block.note),
    )


def _kept_field(block: Block) -> FieldView:
    return FieldView(
        name="@kept",
        label=translate("Inspector", "Keep in the project"),
        kind="bool",
        text="true" if block.kept else "false",
        default_text="false",
        help=translate("Inspector", "Keep the block in the palette even when it is not used."),
        is_modified=block.kept,
    )


def _error(field: str, problems: Iterable[Diagnostic], language: str) -> str:
    found = [problem for problem in problems if problem.field == field]
    return sentence(found[0], language) if found else ""
