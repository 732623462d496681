"""Controller of custom code: typing becomes edits, problems become marks at lines."""

from collections.abc import Callable

from PySide6.QtCore import QPoint, Qt, QTimer
from PySide6.QtWidgets import QMenu

from engine.diagnostics import Diagnostic, DiagnosticError
from engine.graph.code import code_data, code_entries, code_symbol
from engine.graph.edit.code_edits import RemoveCode, RenameCode, SetCode
from engine.graph.edit.edits import Edit, apply
from engine.project import Project
from engine.spec.custom_code import custom_from, rename_custom
from studio.i18n import translate
from studio.model.custom_code.presenter import definition_line, present_files, present_names
from studio.model.custom_code.snippet import free_file, snippet_text, snippet_titles
from studio.model.workspace.page import ModelWorkspace
from studio.services import Controller, Services
from studio.view.taking_back import taking_back
from widgets.common.throttle import Throttle


class CustomCodeController(Controller):
    """Glue between the editor beside the canvas and the session."""

    def __init__(
        self, services: Services, workspace: ModelWorkspace, *, fill_menu: Callable[[QMenu], object]
    ) -> None:
        super().__init__(services, workspace)
        self._workspace = workspace
        self._editor = services.editor
        self._page = page = workspace.own_code
        self._fill_menu = fill_menu
        self._named: object = None  # the entries that completion knows
        self._painter = Throttle(30, self.paint, self)
        page.set_snippets(snippet_titles())
        page.text_settled.connect(self._on_text_settled)
        page.left.connect(self._session.seal)
        page.new_requested.connect(self.new)
        page.rename_requested.connect(self.rename)
        page.menu_wanted.connect(self._on_menu_wanted)
        page.wide_requested.connect(self.toggle_wide)
        page.close_requested.connect(workspace.hide_code)
        self._session.graph_changed.connect(self._painter.request)
        self._session.analysis_changed.connect(self._painter.request)
        self._session.project_changed.connect(self._on_project_changed)
        self.paint()

    @property
    def is_shown(self) -> bool:
        """Whether the editor is open."""
        return not self._page.isHidden()

    @property
    def current_file(self) -> str:
        """The file that is shown, if the editor is open."""
        return self._page.current_file() if self.is_shown else ""

    def paint(self) -> None:
        """Show the files as they are now."""
        session = self._session
        code = session.graph.code
        if not self.is_shown:
            return
        if self._named != code.keys() or not code:
            self._page.set_names(present_names(code_entries(code), self._language()))
            self._named = code.keys()
        problems = session.findings.problems if session.findings.is_current else ()
        self._page.set_files(present_files(code, problems, self._language()))
        project = session.project
        self._page.set_read_only(is_read_only=project is None or project.is_read_only)

    def toggle(self) -> None:
        """Open the editor, or close it."""
        if self.is_shown:
            self.flush()
            self._workspace.hide_code()
        else:
            self.show()

    def show(self, file: str = "", line: int = 0, column: int = 1) -> None:
        """Open the editor, at a line of a file where one is given."""
        self._window.show_workspace("model")
        self._workspace.show_code()
        self.paint()
        if file or (file := self._page.current_file()):
            self._page.show_file(file, line, column)

    def toggle_wide(self) -> None:
        """Give the code the place of the canvas, too, or bring the canvas back."""
        self._workspace.set_wide(is_wide=not self._workspace.is_wide)

    def show_definition(self, key: str) -> bool:
        """Open the file of a type ``code.FILE.NAME`` at its definition; return whether there is
        one.
        """
        symbol, code = code_symbol(key), self._session.graph.code
        if symbol is None or symbol.file not in code:
            return False
        self.show(symbol.file, definition_line(code, symbol.file, symbol.name))
        return True

    def show_problem(self, problem: Diagnostic) -> bool:
        """Open the file at the line that a problem names; return whether it names one."""
        file = problem.params.get("file")
        if not isinstance(file, str) or file not in self._session.graph.code:
            return False
        line, column = (problem.params.get(name) for name in ("line", "column"))
        self.show(file, _number(line), _number(column))
        return True

    def new(self, snippet: str) -> None:
        """Make a file that begins as something that runs, and open it."""
        self.flush()
        file = free_file(snippet, self._session.graph.code)
        text = snippet_text(snippet, self._language())
        label = translate("OwnCode", "New file {file}").format(file=file)
        if self._edit(SetCode(file=file, text=text), label):
            self.show(file, 1)

    def new_dataset(self) -> None:
        """Make a file with a class that has samples, choose it as the data, and open it."""
        known = {entry.key for entry in code_data(self._session.graph.code)}
        self.new("datasets")
        made = (entry.key for entry in code_data(self._session.graph.code))
        key = next((key for key in made if key not in known), None)
        if key is not None:
            self._editor.set("data.source", key)

    def rename(self, file: str, new_file: str) -> None:
        """Give a file another name; what is made from it follows."""
        self.flush()
        name = new_file if new_file.endswith(".py") else f"{new_file}.py"
        label = translate("OwnCode", "Rename {file}").format(file=file)
        session = self._session
        try:
            graph = apply(RenameCode(file=file, new_file=name), session.graph)
        except DiagnosticError as error:
            self._notifications.report(error.problems)
            return
        self._page.rename_file(file, name)
        session.change(graph, rename_custom(session.spec, file, name), label)
        self.show(name)

    def begin_rename(self) -> None:
        """Let the user type another name for the file that is shown."""
        self.show()
        self._page.tabs.begin_rename()

    def remove(self) -> None:
        """Take the file that is shown away; undo brings it back."""
        file = self.current_file
        if not file:
            return
        self.flush()
        if losses := custom_from(self._session.spec, file):
            params: dict[str, str | int | float] = {"file": file, "users": ", ".join(losses)}
            self._notifications.report([Diagnostic(code="U009", params=params)])
            return
        label = translate("OwnCode", "Remove {file}").format(file=file)
        if self._edit(RemoveCode(file=file), label):
            text = translate("OwnCode", "“{file}” was removed.").format(file=file)
            self._notifications.tell(text, action=taking_back(self._session, self._notifications))

    def flush(self) -> None:
        """Take over what was typed and not told yet."""
        self._page.flush()

    def _edit(self, edit: Edit, label: str, merge_key: str | None = None) -> bool:
        if self._succeeds(lambda: self._session.edit(edit, label, merge_key)):
            return True
        self._painter.request()
        return False

    def _on_text_settled(self, file: str, text: str) -> None:
        session = self._session
        if session.is_telling:  # what is told takes the editor away: then is the time to write
            project = session.project
            QTimer.singleShot(0, self, lambda: self._settle_later(project, file, text))
            return
        before = session.graph.code.get(file)
        if before is None:
            return  # it was taken away meanwhile
        if "\r\n" in before:
            text = text.replace("\n", "\r\n")
        if text != before:
            label = translate("OwnCode", "Edit {file}").format(file=file)
            self._edit(SetCode(file=file, text=text), label, f"code:{file}")

    def _settle_later(self, project: Project | None, file: str, text: str) -> None:
        if project is self._session.project:
            self._on_text_settled(file, text)

    def _on_project_changed(self) -> None:
        if self._session.project is None and self.is_shown:
            self._workspace.hide_code()
        self._painter.request()

    def _on_menu_wanted(self, position: QPoint) -> None:
        menu = QMenu(self._page)
        menu.setObjectName("own.menu")
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._fill_menu(menu)
        menu.popup(position)


def _number(value: object) -> int:
    return value if isinstance(value, int) else 1
