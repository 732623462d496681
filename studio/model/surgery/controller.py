"""Controller of model surgery: freezing, cutting, removing, further outputs, another head."""

from collections.abc import Callable

from engine.graph.block import SEPARATOR
from engine.graph.edit.edits import Edit
from engine.graph.edit.head import heads
from engine.graph.edit.surgery import CutAfter, DissolveNodes, ReplaceHeads, ReplaceNode, TapOutput
from engine.graph.edit.widening import SetWidth, width_of, widths
from engine.graph.error import GraphError
from engine.graph.node_state.freezing import FreezeNodes, can_be_frozen, weights_owner
from engine.graph.node_state.synchronizing import synchronized
from engine.graph.query import OUTPUT
from studio.i18n import filled, translate
from studio.model.canvas.controller import ModelController
from studio.services import Controller, Services
from studio.session.session import Session
from studio.window.dialog.number import NumberDialog
from widgets.canvas.canvas import Canvas

_SHOWN = 6


class SurgeryController(Controller):
    """Glue between the commands of surgery, the canvas and the session."""

    def __init__(self, services: Services, model: ModelController, *, canvas: Canvas) -> None:
        super().__init__(services, model)
        self._model = model
        self._canvas = canvas
        canvas.replace_requested.connect(self.replace_by)

    def toggle_frozen(self) -> None:
        """Freeze the selected nodes; if all of them are frozen already, train them again."""
        is_on = not is_frozen(self._session)
        label = translate("Model", "Freeze") if is_on else translate("Model", "Unfreeze")
        self._edit_level(FreezeNodes(ids=self._session.selection, frozen=is_on), label)

    def cut_after(self) -> None:
        """Take away all that follows the selected node."""
        before = len(self._session.level.nodes)
        label = translate("Model", "Cut off following layers")
        for node_id in self._session.selection[:1]:
            if self._edit_level(CutAfter(id=node_id), label):
                count = before - len(self._session.level.nodes)
                text = translate(
                    "Model",
                    "Cut off {count} {count|layer|layers}. You can undo this.",
                )
                self._notifications.tell(filled(text, count=count), "success")

    def tap(self) -> None:
        """Make what the selected node gives a further output of the model."""
        session = self._session
        for node_id in session.selection[:1]:
            place = SEPARATOR.join((*session.path, node_id))
            before = {n.name for n in session.graph.nodes.values() if n.type == OUTPUT}
            if not self._edit(TapOutput(place=place), translate("Model", "Add output")):
                continue
            outputs = [n.name for n in session.graph.nodes.values() if n.type == OUTPUT]
            new = [name for name in outputs if name not in before]
            if new:
                text = translate("Model", "The model now also returns “{name}”.")
                self._notifications.tell(text.format(name=new[0]), "success")
            else:
                self._notifications.tell(
                    translate("Model", "This is already an output of the model.")
                )

    def dissolve(self) -> None:
        """Take the selected nodes away and lead through what arrived at them."""
        label = translate("Model", "Delete and reconnect")
        self._edit_level(DissolveNodes(ids=self._session.selection), label)

    def ask_replacement(self) -> None:
        """Search for what comes into the place of the selected node."""
        for node_id in self._session.selection[:1]:
            self._canvas.search_for(node_id)

    def replace_by(self, key: str, node_id: str) -> None:
        """Put another type in the place of a node."""
        edit = ReplaceNode(id=node_id, type_key=key)
        if self._model.try_edit(edit, translate("Model", "Replace layer"), lays_wires=True):
            self._model.select_soon((node_id,))

    def ask_classes(self) -> None:
        """Ask for the number of classes and give it to the heads of all outputs."""
        by_node = heads(self._session.graph)
        if not by_node:
            self._edit(ReplaceHeads(size=1), "")  # says why not
            return
        names = ", ".join(dict.fromkeys(head.place for head in by_node.values()))
        text = translate(
            "Model",
            "The last layer with weights before each output ({names}) gets this number of "
            "outputs and keeps its name. Its weights are reinitialized; all others are "
            "kept.",
        )
        self._ask(
            "head",
            translate("Model", "Number of classes"),
            text.format(names=names),
            next(iter(by_node.values())).size,
            lambda size: self._edit(
                ReplaceHeads(size=size), translate("Model", "Change number of classes")
            ),
        )

    def synchronize(self) -> None:
        """Make all batch norms SyncBatchNorm, and say where that matters."""
        session = self._session
        try:
            graph = synchronized(session.graph)
        except GraphError as error:
            self._notifications.report(error.problems)
            return
        session.change(graph, session.spec, translate("Model", "Synchronize batch norms"))
        text = translate(
            "Model",
            "Batch norms now share their statistics across the processes of a run on "
            "several GPUs. This only works on GPUs. In a single process they work as "
            "before.",
        )
        self._notifications.tell(text, "success")

    def ask_width(self) -> None:
        """Ask how many channels or features the selected layer gives."""
        session = self._session
        for node_id in session.selection[:1]:
            place = SEPARATOR.join((*session.path, node_id))
            try:
                others = widths(session.graph, place)
            except GraphError as error:
                self._notifications.report(error.problems)
                return
            self._ask(
                "width",
                translate("Model", "Channels or features"),
                _width_text(tuple(name for name in others if name != place)),
                width_of(session.graph, place),
                lambda size, place=place: self._edit(
                    SetWidth(place=place, size=size), translate("Model", "Change width")
                ),
            )

    def _ask(
        self, name: str, label: str, text: str, value: int, act: Callable[[int], object]
    ) -> None:
        dialog = NumberDialog(self._window, name, title=label, text=text, label=label, value=value)
        dialog.chosen.connect(act)
        dialog.open()

    def _edit_level(self, edit: Edit, label: str) -> bool:
        return self._succeeds(lambda: self._session.edit_level(edit, label))

    def _edit(self, edit: Edit, label: str) -> bool:
        return self._succeeds(lambda: self._session.edit(edit, label))


def _width_text(others: tuple[str, ...]) -> str:
    if not others:
        return translate("Model", "Layers that follow adapt automatically.")
    names = ", ".join(others[:_SHOWN]) + ("…" if len(others) > _SHOWN else "")
    text = translate(
        "Model",
        "Layers that follow adapt automatically. These layers change as well, because "
        "their outputs are added: {names}.",
    )
    return text.format(names=names)


def is_frozen(session: Session) -> bool:
    """Return whether something selected can be frozen and all of that is."""
    level = session.level
    nodes = [weights_owner(level, level.nodes[node_id]) for node_id in session.selection]
    chosen = [node for node in nodes if node.frozen or can_be_frozen(level, node)]
    return bool(chosen) and all(node.frozen for node in chosen)
