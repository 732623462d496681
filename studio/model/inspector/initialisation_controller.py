"""Controller of initialisation: chosen in the inspector, drawn by the host."""

from concurrent.futures import Future
from pathlib import Path

from PySide6.QtWidgets import QFileDialog

from engine.catalog.validate import parse_value
from engine.diagnostics import Diagnostic, DiagnosticError, sentence
from engine.files import copy_file
from engine.graph.block import SEPARATOR
from engine.graph.edit.edits import Batch, Edit, EditBlock
from engine.graph.model import Initial, Node
from engine.graph.node_state.initialization import (
    FIELD,
    SUFFIXES,
    SetInitial,
    chosen_initials,
    initial_of,
    initialiser,
    layers_alike,
    weights_of,
)
from engine.project.weight_file import free_weights
from engine.query.listing.request import PreviewWeights, WeightPreview
from engine.spec.weight_name import names_in_file
from studio.i18n import filled, translate
from studio.model.inspector.dock import Inspector
from studio.model.inspector.initialisation import (
    MIXED,
    common,
    present_initial,
    present_values,
    roles_of,
)
from studio.services import Controller, Services
from widgets.canvas.canvas import Canvas
from widgets.common import parts
from widgets.common.throttle import Debounce, Throttle


class InitialController(Controller):
    """Glue between the tab about weights, the session and the host process."""

    def __init__(self, services: Services, inspector: Inspector, *, canvas: Canvas) -> None:
        super().__init__(services, inspector)
        self._inspector = inspector
        self._panel = inspector.weights
        self._rejected: dict[str, Diagnostic] = {}
        self._asked: PreviewWeights | None = None
        self._painter = Throttle(30, self.paint, self)
        self._asker = Debounce(100, self._ask, self)  # a tab may be in front for a moment only
        for signal in (
            self._session.graph_changed,
            self._session.analysis_changed,
            self._session.spec_changed,
            self._session.level_changed,
        ):
            signal.connect(self._painter.request)
        canvas.selection_changed.connect(self._on_selection_changed)
        self._panel.value_changed.connect(self.set_field)
        self._panel.reset_requested.connect(lambda name: self.set_field(name, None))
        self._panel.field_focused.connect(lambda _name: self._session.seal())
        self._panel.browse_requested.connect(self._browse)
        self._panel.alike_requested.connect(self.begin_alike)
        self._panel.shown.connect(self._asker.request)
        self._painter.request()  # after a change of language something is selected already

    def paint(self) -> None:
        """Show how the weights of the selection begin."""
        session = self._session
        nodes = self._nodes()
        own = tuple(node.id for node in nodes)
        problems = [p for p in session.findings.at(session.path).problems if p.node in own]
        self._inspector.set_initial(
            present_initial(
                session.graph,
                session.level,
                nodes,
                [*self._rejected.values(), *problems],
                self._language(),
            )
        )
        self._asker.request()

    def show(self) -> None:
        """Bring the tab about weights to the front."""
        self.paint()
        self._inspector.show_weights()

    def has_weights(self) -> bool:
        """Return whether something is selected of which can be said how its weights begin."""
        graph = self._session.level
        return any(weights_of(graph, node) for node in self._nodes())

    def can_begin_alike(self) -> bool:
        """Return whether one layer is selected that has weights and others of its type."""
        nodes = self._nodes()
        if len(nodes) != 1 or not weights_of(self._session.level, nodes[0]):
            return False
        return sum(map(len, layers_alike(self._session.graph, nodes[0]).values())) > 1

    def begin_alike(self) -> None:
        """Give all layers of the type of the selected one its beginning, in all of the model."""
        if not self.can_begin_alike():
            return
        session = self._session
        node = self._nodes()[0]
        chosen = chosen_initials(session.level, node)
        edits: list[Edit] = []
        count = 0
        for block, ids in layers_alike(session.graph, node).items():
            count += len(ids)
            for weight in weights_of(session.level, node):
                initial = chosen[weight.name][1] if weight.name in chosen else None
                edit = SetInitial(ids=ids, weight=weight.name, initial=initial)
                edits.append(EditBlock(block=block, edit=edit) if block else edit)
        label = translate("Initial", "Initialize all layers of a type")
        if not self._succeeds(lambda: session.edit(Batch(edits=tuple(edits)), label)):
            return
        text = translate(
            "Initial", "{count} {count|layer is|layers are} now initialized like “{name}”."
        )
        self._notifications.tell(filled(text, count=count, name=node.name), "success")

    def set_field(self, name: str, text: str | None) -> None:
        """Set what a field of the form says; without a text give it its default again."""
        try:
            edit = self._edit(name, text)
            if edit is not None:
                label = translate("Initial", "Change initialization")
                key = f"{name}.{','.join(edit.ids)}"
                self._session.edit_level(edit, label, merge_key=key)
            self._rejected.pop(name, None)
        except DiagnosticError as error:
            problem = error.problems[0]
            self._rejected[name] = Diagnostic(
                code=problem.code, field=name, params=problem.params, detail=problem.detail
            )
        self._painter.request()

    def _browse(self, name: str) -> None:
        """Let the file be chosen that a parameter begins from."""
        project = self._session.project
        if project is None:
            return
        title = translate("Initial", "Choose tensor file")
        dialog = parts.named(
            QFileDialog(self._inspector.window(), title), "dialog.initial.choose", title
        )
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        tensors, every = translate("Initial", "Tensors"), translate("Initial", "All files")
        patterns = " ".join(f"*{suffix}" for suffix in SUFFIXES)
        dialog.setNameFilters([f"{tensors} ({patterns})", f"{every} (*)"])
        dialog.setDirectory(str(project.path))
        dialog.fileSelected.connect(lambda file: self._take_file(name, Path(file)))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def _take_file(self, name: str, file: Path) -> None:
        """Set a file by its place in the project; one from elsewhere is copied there first."""
        project = self._session.project
        if project is None:
            return
        if file.is_relative_to(project.path):
            self.set_field(name, file.relative_to(project.path).as_posix())
            return
        copy = free_weights(project.path, file.stem, file.suffix)
        target = project.path / copy
        self._handover.run(
            lambda: copy_file(file, target),
            lambda future: self._on_copied(name, copy, future),
            self._notifications.report,
        )

    def _on_copied(self, name: str, copy: str, future: "Future[None]") -> None:
        future.result()
        self.set_field(name, copy)
        text = translate("Initial", "Copied into the project as {file}.")
        self._notifications.tell(text.format(file=copy), "success")

    def _edit(self, name: str, text: str | None) -> SetInitial | None:
        """Return the change that a field asks for. Raises :class:`DiagnosticError`."""
        graph = self._session.level
        asked = name.removeprefix(FIELD)
        for weight, holders in roles_of(graph, self._nodes()).items():
            ids = tuple(node.id for _, node in holders)
            if asked == weight:
                return self._chosen(ids, weight, text or "")
            if not asked.startswith(f"{weight}."):
                continue
            initial = common(graph, weight, [node for _, node in holders])
            if isinstance(initial, Initial):
                changed = self._told(initial, asked.removeprefix(f"{weight}."), text)
                return SetInitial(ids=ids, weight=weight, initial=changed)
        return None

    def _chosen(self, ids: tuple[str, ...], weight: str, key: str) -> SetInitial | None:
        if key == MIXED:
            return None
        if not key:
            return SetInitial(ids=ids, weight=weight)
        entry = initialiser(self._session.level, key)
        initial = Initial(type=key) if entry is None else initial_of(entry)
        return SetInitial(ids=ids, weight=weight, initial=initial)

    def _told(self, initial: Initial, name: str, text: str | None) -> Initial:
        entry = initialiser(self._session.level, initial.type)
        spec = None if entry is None else entry.param(name)
        if entry is None or spec is None:
            return initial
        params = {key: value for key, value in initial.params.items() if key != name}
        if text is not None:
            params[name] = parse_value(spec, text)
        elif spec.required and spec.suggested is not None:
            params[name] = spec.suggested
        return Initial(type=initial.type, params=params)

    def _nodes(self) -> list[Node]:
        nodes = self._session.level.nodes
        return [nodes[node_id] for node_id in self._session.selection if node_id in nodes]

    def _on_selection_changed(self, _ids: tuple[str, ...]) -> None:
        self._rejected.clear()
        self._painter.request()

    def _ask(self) -> None:
        """Have the numbers of the selected layer drawn, where they can be seen and are not yet."""
        session, nodes = self._session, self._nodes()
        if len(nodes) != 1 or not self._panel.has_fields():
            self._asked = None
            self._panel.set_values((), "")
            return
        if not self._panel.isVisible() or session.project is None:
            return
        request = PreviewWeights(
            graph=session.graph,
            place=SEPARATOR.join((*session.path, nodes[0].id)),
            seed=session.spec.seed,
            project=str(session.project.path),
            weights=session.spec.weights,
            renamed=names_in_file(session.spec, session.graph),
        )
        before = self._asked
        if before is not None and before.graph is request.graph and before == request:
            return
        self._asked = request
        if before is None or before.place != request.place:
            self._panel.set_values((), translate("Initial", "Sampling values…"))
        self._ask_host(
            request,
            lambda preview: self._on_drawn(request, preview),
            lambda problems: self._panel.set_values((), sentence(problems[0], self._language())),
            is_wanted=lambda: request is self._asked,
        )

    def _on_drawn(self, request: PreviewWeights, preview: WeightPreview) -> None:
        note = translate(
            "Initial",
            "Runs start from {file}. Matching weights are shown as they are in that file.",
        )
        note = note.format(file=request.weights) if request.weights else ""
        self._panel.set_values(present_values(preview), note)
