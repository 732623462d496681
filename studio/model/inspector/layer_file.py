"""Weights of a file for the selected layer alone: chosen, found in the file, and begun with."""

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QCursor
from PySide6.QtWidgets import QFileDialog, QMenu, QWidget

from engine.catalog.spec import WeightMatch
from engine.files import copy_file
from engine.graph.block import SEPARATOR
from engine.graph.edit.edits import Batch
from engine.graph.model import Initial, Node
from engine.graph.node_state.initialization import FILE, SetInitial, weights_of
from engine.project.weight_file import free_weights
from engine.query.weights.request import LayerMatch, LayerMatches, MatchLayer
from studio.i18n import translate
from studio.services import Controller
from studio.view.weights_file import weight_filters
from widgets.common import parts

_MOST = 30  # layers of a file in the menu


class LayerMenu(QMenu):
    """Offers the layers of a file that have the parameters of the selected one."""

    def __init__(
        self,
        matches: Sequence[LayerMatch],
        choose: Callable[[LayerMatch], object],
        parent: QWidget | None,
    ) -> None:
        super().__init__(parent)
        self.setObjectName("layer.menu")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for match in matches[:_MOST]:
            name = match.name or ", ".join(match.tensors)
            action = self.addAction(name.replace("&", "&&"))
            action.setObjectName(f"layer.{match.name}")
            action.triggered.connect(lambda _=False, match=match: choose(match))


class LayerFileController(Controller):
    """Asks for a file, has it looked through, and lets the layer begin with what fits."""

    def can_load(self) -> bool:
        """Return whether a single layer is selected whose parameters have a name each."""
        node = self._node()
        weights = () if node is None else weights_of(self._session.level, node)
        return bool(weights) and all(weight.match is WeightMatch.ONE for weight in weights)

    def browse(self) -> None:
        """Ask for the file."""
        title = translate("Initial", "Choose weights for this layer")
        dialog = parts.named(QFileDialog(self._window, title), "dialog.layer.choose", title)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.setNameFilters(weight_filters())
        if self._session.project is not None:
            dialog.setDirectory(str(self._session.project.path))
        dialog.fileSelected.connect(self.take)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def take(self, chosen: str) -> None:
        """Find in a file what fits the selected layer."""
        session, node = self._session, self._node()
        if node is None:
            return
        project, path = session.project, session.path

        def show(found: LayerMatches) -> None:
            if len(found.matches) == 1:
                self._begin(node, Path(chosen), found.matches[0])
                return
            choose = lambda match: self._begin(node, Path(chosen), match)  # noqa: E731
            LayerMenu(found.matches, choose, self._window).popup(QCursor.pos())

        self._ask_host(
            MatchLayer(file=chosen, graph=session.graph, place=SEPARATOR.join((*path, node.id))),
            show,
            self._notifications.report,
            is_wanted=lambda: (
                (session.project, session.path) == (project, path)
                and node.id in session.level.nodes
            ),
        )

    def _begin(self, node: Node, file: Path, match: LayerMatch) -> None:
        """Let a layer begin with tensors of a file; one from elsewhere is copied here first."""
        project = self._session.project
        if project is None:
            return
        if file.is_relative_to(project.path):
            self._set(node, file.relative_to(project.path).as_posix(), match)
            return
        copy = free_weights(project.path, file.stem, file.suffix)
        target = project.path / copy

        def on_copied(future: "Future[None]") -> None:
            future.result()
            self._set(node, copy, match)

        self._handover.run(
            lambda: copy_file(file, target),
            on_copied,
            self._notifications.report,
            is_wanted=lambda: self._session.project is project,
        )

    def _set(self, node: Node, file: str, match: LayerMatch) -> None:
        session = self._session
        known = {weight.name for weight in weights_of(session.level, node)}
        edits = tuple(
            SetInitial(
                ids=(node.id,),
                weight=role,
                initial=Initial(type=FILE, params={"file": file, "tensor": tensor}),
            )
            for role, tensor in match.tensors.items()
            if role in known
        )
        label = translate("Initial", "Load weights into layer")
        if self._succeeds(lambda: session.edit_level(Batch(edits=edits), label)):
            text = translate("Initial", "“{name}” now begins with “{layer}” of {file}.")
            text = text.format(name=node.name, layer=match.name or "–", file=file)
            self._notifications.tell(text, "success")

    def _node(self) -> Node | None:
        nodes, chosen = self._session.level.nodes, self._session.selection
        return nodes.get(chosen[0]) if len(chosen) == 1 else None
