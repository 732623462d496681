"""Controller of blocks: grouping and unpacking, entering and leaving, and the fields of a use."""

from msgspec.structs import replace

from engine.diagnostics import Diagnostic, DiagnosticError
from engine.graph.block import PREFIX, block_at, block_name, block_of, body
from engine.graph.edit.annotation import ChangeAnnotations
from engine.graph.edit.block_edits import (
    BlockEdit,
    DescribeBlock,
    GroupNodes,
    MakeUnique,
    RemoveBlocks,
    RenameBlock,
    SetRepeat,
    ShareModule,
    UngroupNode,
    parse_repeat,
    unused_blocks,
)
from engine.graph.edit.edits import Batch, Edit, EditBlock, MoveNodes, apply
from engine.graph.edit.switch import ChooseBranch, MakeSwitch, SwitchEdit
from engine.graph.error import GraphError
from engine.graph.layout.aligning import arranged
from engine.graph.model import Block, BlockStyle, Graph, Node
from engine.graph.naming import free_name
from studio.i18n import translate
from studio.model.block.presenter import suggested_name
from studio.model.block.sharing import lender
from studio.model.canvas.controller import ModelController
from studio.services import Controller, Services
from widgets.canvas.canvas import Canvas
from widgets.common.breadcrumbs import Breadcrumbs

_DEFAULTS = {
    "@repeat": "1",
    "@tied": "false",
    "@style": "class",
    "@note": "",
    "@kept": "false",
    "@shares": "",
}


class BlockController(Controller):
    """Glue between the commands for blocks, the breadcrumbs and the session."""

    def __init__(
        self,
        services: Services,
        model: ModelController,
        *,
        breadcrumbs: Breadcrumbs,
        canvas: Canvas,
    ) -> None:
        super().__init__(services, model)
        self._model = model
        self._breadcrumbs = breadcrumbs
        breadcrumbs.level_chosen.connect(self.go_to)
        self._session.level_changed.connect(self.paint)
        self._session.graph_changed.connect(self.paint)
        canvas.leave_requested.connect(self.leave)
        self.paint()

    def paint(self) -> None:
        """Show where the canvas is."""
        session = self._session
        names = [translate("Model", "Model")]
        inside = session.graph
        for index, node_id in enumerate(session.path):
            node = inside.nodes[node_id]
            names.append(f"{node.name} · {block_name(node)}")
            inside = session.level_at(session.path[: index + 1])
        self._breadcrumbs.set_levels(names)

    def group(self) -> None:
        """Put the selected nodes into a new block."""
        session = self._session
        level = session.level
        nodes = [level.nodes[node_id] for node_id in session.selection]
        frames = self._model.frames_of(session.selection)
        name = free_name(suggested_name(level, nodes), level.blocks)
        before = set(level.nodes)
        edit = GroupNodes(ids=(*session.selection, *frames), name=name)
        if self._apply(self._with_layout(edit), translate("Model", "Group into a block")):
            self._model.select_soon(tuple(set(session.level.nodes) - before))

    def make_switch(self) -> None:
        """Make the selected nodes the branches of a switch."""
        session = self._session
        before = set(session.level.nodes)
        edit = MakeSwitch(ids=session.selection, name=free_name("Switch", session.level.blocks))
        if self._apply(edit, translate("Model", "Create switch")):
            self._model.select_soon(tuple(set(session.level.nodes) - before))

    def _with_layout(self, edit: GroupNodes) -> Edit:
        """Lay the inside out anew, as Arrange would: nodes that lay among others would be far
        apart, also those that were pinned out there.
        """
        try:
            block = apply(edit, self._session.level).blocks[edit.name]
        except GraphError:
            return edit  # told when it is applied
        inner = body(Graph(), block)
        free = {key: replace(node, pinned=False) for key, node in inner.nodes.items()}
        places, annotations = arranged(replace(inner, nodes=free), {}, self._model.room())
        placed = Batch(
            edits=(MoveNodes(positions=places), ChangeAnnotations(annotations=annotations))
        )
        return Batch(edits=(edit, EditBlock(block=edit.name, edit=placed)))

    def ungroup(self) -> None:
        """Put what is inside the selected block in its place."""
        node = self.selected_use()
        if node is None:
            return
        before = set(self._session.level.nodes)
        if self._apply(UngroupNode(id=node.id), translate("Model", "Unpack block")):
            self._model.select_soon(tuple(set(self._session.level.nodes) - before))

    def remove(self, key: str) -> None:
        """Take the block of a type of nodes out of the project, if nothing uses it."""
        self._try_whole((key.removeprefix(PREFIX),), translate("Model", "Remove block"))

    def remove_unused(self) -> None:
        """Take all blocks out of the project that nothing uses and that are not to be kept."""
        names = unused_blocks(self._session.graph)
        if not names:
            self._notifications.tell(translate("Model", "There are no unused blocks."))
        elif self._try_whole(names, translate("Model", "Remove unused blocks")):
            text = translate("Model", "Removed: {names}.").format(names=", ".join(names))
            self._notifications.tell(text, "success")

    def _try_whole(self, names: tuple[str, ...], label: str) -> bool:
        return self._succeeds(lambda: self._session.edit(RemoveBlocks(names=names), label))

    def make_unique(self) -> None:
        """Give the selected use a block of its own."""
        node = self.selected_use()
        if node is not None:
            name = free_name(block_name(node), self._session.level.blocks)
            self._apply(MakeUnique(id=node.id, name=name), translate("Model", "Make block unique"))

    def share(self) -> None:
        """Let one of two selected nodes of a type use the weights of the one before it in the flow;
        give it weights of its own again when it does already.
        """
        session = self._session
        pair = lender(session.level, session.selection)
        if pair is None:
            return
        owner, user = pair
        if user.shares:
            label = translate("Model", "Use own weights")
            self._apply(ShareModule(id=user.id), label)
            return
        label = translate("Model", "Share weights with another layer")
        if self._apply(ShareModule(id=user.id, source=owner.id), label):
            text = translate("Model", "“{name}” now shares the weights of “{owner}”.")
            self._notifications.tell(text.format(name=user.name, owner=owner.name), "success")

    def can_share(self) -> bool:
        """Return whether the selection is one that :meth:`share` takes."""
        return lender(self._session.level, self._session.selection) is not None

    def selected_use(self) -> Node | None:
        """Return the selected node when it is a use of a block and nothing else is selected."""
        session = self._session
        if len(session.selection) != 1:
            return None
        node = session.level.nodes[session.selection[0]]
        return node if block_of(session.level, node) is not None else None

    def enter(self) -> None:
        """Go into the selected block."""
        node = self.selected_use()
        if node is not None:
            self._session.enter((*self._session.path, node.id))

    def leave(self) -> None:
        """Go out to the level around this one; the block that was left is selected."""
        path = self._session.path
        if path:
            self._session.enter(path[:-1], path[-1:])

    def go_to(self, depth: int) -> None:
        """Go out to a level: 0 is the model itself."""
        path = self._session.path
        self._session.enter(path[:depth], path[depth : depth + 1])

    def activate(self, node_id: str) -> bool:
        """Go into a node when it is a block; return whether it is one."""
        node = self._session.level.nodes.get(node_id)
        if node is None or block_of(self._session.level, node) is None:
            return False
        self._session.enter((*self._session.path, node_id))
        return True

    def set_field(self, node_id: str, name: str, text: str) -> Diagnostic | None:
        """Set what the inspector says about a repeat or a block; return why that cannot be."""
        node = self._session.level.nodes.get(node_id)
        try:
            edit = None if node is None else self._field_edit(node, name, text)
            if edit is None:
                return None
            key = f"{name}.{node_id}"
            self._session.edit_level(edit, translate("Model", "Change block"), merge_key=key)
        except DiagnosticError as error:
            problem = error.problems[0]
            return Diagnostic(code=problem.code, node=node_id, field=name, params=problem.params)
        return None

    def set_level_field(self, name: str, text: str) -> Diagnostic | None:
        """Set what the inspector says about the block that one is inside of; return why not."""
        session = self._session
        level = block_at(session.graph, session.path)
        if level not in session.graph.blocks:
            return None
        try:
            edit = _described(level, session.graph.blocks[level], name, text)
            session.edit(edit, translate("Model", "Change block"), merge_key=f"{name}.{level}")
        except DiagnosticError as error:
            return replace(error.problems[0], field=name)
        return None

    def reset_field(self, node_id: str, name: str) -> None:
        """Give a field of the inspector its default again; without a node that of the block."""
        if name not in _DEFAULTS:
            return
        text = _DEFAULTS[name]
        problem = (
            self.set_field(node_id, name, text) if node_id else self.set_level_field(name, text)
        )
        if problem is not None:
            self._notifications.report((problem,))

    def _field_edit(self, node: Node, name: str, text: str) -> BlockEdit | SwitchEdit | None:
        if name == "@repeat":
            return SetRepeat(id=node.id, repeat=parse_repeat(text), tied=node.tied)
        if name == "@tied":
            return SetRepeat(id=node.id, repeat=node.repeat, tied=text == "true")
        if name == "@shares":
            return ShareModule(id=node.id, source=text)
        block = block_of(self._session.level, node)
        return None if block is None else _described(block_name(node), block, name, text)

    def _apply(self, edit: Edit, label: str) -> bool:
        return self._succeeds(lambda: self._session.edit_level(edit, label))


def _described(key: str, block: Block, name: str, text: str) -> BlockEdit | SwitchEdit:
    if name == "@branch":
        return ChooseBranch(block=key, branch=text)
    if name == "@block":
        return RenameBlock(name=key, new_name=text.strip())
    style = BlockStyle(text) if name == "@style" else block.style
    note = text if name == "@note" else block.note
    kept = text == "true" if name == "@kept" else block.kept
    return DescribeBlock(name=key, style=style, note=note, kept=kept)
