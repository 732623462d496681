"""Controller of the comparison of the model with an earlier state, a run, or another project."""

from pathlib import Path

from PySide6.QtWidgets import QFileDialog

from engine.diagnostics import Diagnostic
from engine.graph.comparison import LevelComparison, compare
from engine.graph.model import Graph
from engine.project import Project
from engine.runs.folder import RunFolder, runs_of
from studio.i18n import translate
from studio.model.comparison.dialog import ModelComparisonDialog
from studio.model.comparison.presenter import inside, present_both, present_changes, summary
from studio.services import Controller, Services
from widgets.common import parts
from widgets.common.throttle import Throttle

_NOW, _SAVED, _OTHER = "now", "saved", "other"
_RUN, _PROJECT = "run:", "project:"


class ModelComparisonController(Controller):
    """Glue between the dialog, the session and the files that hold other models."""

    def __init__(self, services: Services) -> None:
        super().__init__(services, services.window)
        self._dialog: ModelComparisonDialog | None = None
        self._choices: dict[str, str] = {}
        self._keys = (_SAVED, _NOW)
        self._read: dict[str, Graph] = {}
        self._levels: dict[str, LevelComparison] = {}
        self._level = ""
        self._shown: tuple[tuple[str, str], str] | None = None
        self._wanted: tuple[str, str] | None = None  # level and node, once both models are read
        self._painter = Throttle(150, self._paint, self)
        self._session.graph_changed.connect(self._painter.request)

    def show(self) -> None:
        """Compare the model on the canvas with how it was saved last."""
        self._open(_SAVED, _NOW)

    def show_runs(self, before: Path, after: Path, *, level: str = "", node: str = "") -> None:
        """Compare the models of two runs, by their folders, and show a node of one of them."""
        self._open(f"{_RUN}{before}", f"{_RUN}{after}")
        self._wanted = (level, node)

    def _open(self, before: str, after: str) -> None:
        if self._session.project is None:
            return
        if self._dialog is None:
            dialog = self._dialog = ModelComparisonDialog(self._window)
            dialog.chosen.connect(self._on_chosen)
            dialog.row_chosen.connect(self._on_row_chosen)
            dialog.entered.connect(self._on_entered)
            dialog.left.connect(lambda: self._go("", ""))
            dialog.finished.connect(self._on_closed)
        self._keys, self._level, self._shown = (before, after), "", None
        self._read = {}
        self._wanted = None
        self._list_choices()
        for key in dict.fromkeys(self._keys):
            self._load(key)
        self._dialog.bring_to_front()

    def _on_closed(self) -> None:
        self._dialog = None
        self._levels = {}

    def _list_choices(self) -> None:
        project = self._session.project
        assert project is not None
        self._choices = {
            _NOW: translate("Compare", "On the canvas"),
            _SAVED: translate("Compare", "Last saved version"),
        }
        for run in reversed(runs_of(project.path)):
            name = translate("Compare", "Run {name}").format(name=run.document.name)
            self._choices[f"{_RUN}{run.path}"] = name
        self._choices[_OTHER] = translate("Compare", "Other project…")
        self._show_choices()

    def _show_choices(self) -> None:
        if self._dialog is not None:
            self._dialog.set_choices(tuple(self._choices.items()), *self._keys)

    def _on_chosen(self, side: str, key: str) -> None:
        is_second = side == "after"
        if key == _OTHER:
            self._show_choices()  # until a folder is chosen the former one stays
            self._ask_project(is_second=is_second)
        else:
            self._choose(is_second=is_second, key=key)

    def _choose(self, *, is_second: bool, key: str) -> None:
        self._keys = (self._keys[0], key) if is_second else (key, self._keys[1])
        self._level = ""
        self._show_choices()
        self._load(key)

    def _ask_project(self, *, is_second: bool) -> None:
        title = translate("Compare", "Compare with project")
        dialog = parts.named(QFileDialog(self._dialog, title), "dialog.models.project", title)
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setOption(QFileDialog.Option.ShowDirsOnly, on=True)
        dialog.fileSelected.connect(lambda folder: self.choose_project(folder, is_second=is_second))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def choose_project(self, folder: str, *, is_second: bool) -> None:
        """Compare with the model of another project."""
        key = f"{_PROJECT}{folder}"
        name = translate("Compare", "Project {name}").format(name=Path(folder).name)
        self._choices = {_NOW: self._choices[_NOW], key: name, **self._choices}
        self._choose(is_second=is_second, key=key)

    def _load(self, key: str) -> None:
        project = self._session.project
        if key == _NOW or project is None:
            self._paint()
            return
        path = project.path
        self._handover.run(
            lambda: _graph(key, path),
            lambda future: self._on_read(key, future.result()),
            self._on_unreadable,
        )

    def _on_read(self, key: str, graph: Graph) -> None:
        self._read[key] = graph
        self._paint()

    def _on_unreadable(self, problems: tuple[Diagnostic, ...]) -> None:
        self._notifications.report(problems)
        self._keys = (_NOW, _NOW)
        self._show_choices()
        self._paint()

    def _paint(self) -> None:
        dialog = self._dialog
        graphs = [self._session.graph if key == _NOW else self._read.get(key) for key in self._keys]
        before, after = graphs
        if dialog is None or before is None or after is None:
            return
        self._levels = compare(before, after)
        if self._level not in self._levels:
            self._level = ""
        language = self._language()
        rows = present_changes(self._levels, self._levels[""].both, language)
        dialog.set_rows(rows, summary(self._levels))
        self._show_level()
        if self._wanted is not None:
            place, self._wanted = self._wanted, None
            self._go(*place)

    def _show_level(self) -> None:
        if self._dialog is None:
            return
        shown = (self._keys, self._level)
        view = present_both(self._levels[self._level], self._language())
        self._dialog.set_level(self._level)
        self._dialog.set_view(view, is_other=shown != self._shown)
        self._shown = shown

    def _on_row_chosen(self, level: str, node: str) -> None:
        self._go(level, node)

    def _on_entered(self, node: str) -> None:
        block = inside(self._levels[self._level], node) if self._level in self._levels else ""
        if block in self._levels and block:
            self._go(block, "")

    def _go(self, level: str, node: str) -> None:
        if self._dialog is None or level not in self._levels:
            return
        if level != self._level:
            self._level = level
            self._show_level()
        if node:
            self._dialog.viewer.show_node(node)


def _graph(key: str, project: Path) -> Graph:
    """Read the model that a key stands for. Raises :class:`DiagnosticError`."""
    if key.startswith(_RUN):
        return RunFolder.open(key.removeprefix(_RUN)).document.graph
    if key.startswith(_PROJECT):
        return Project.open(key.removeprefix(_PROJECT)).graph
    return Project.open(project).graph
