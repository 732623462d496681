"""Controller of help: the command palette, F1, the tour, preferences, about."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtGui import QGuiApplication, QKeySequence
from PySide6.QtWidgets import QDialog

from engine.graph.block import entry_of
from engine.graph.templates import templates
from studio.command.actions import ActionSet
from studio.command.command import MENUS
from studio.help.manual import DialogHelp, Manual
from studio.help.preferences import PreferencesDialog
from studio.help.presenter import page_of_tab
from studio.help.tour import Tour
from studio.i18n import translate, without_mnemonic
from studio.model.inspector.dock import Inspector
from studio.process.diagnosis import VERSION, diagnosis
from studio.process.settings import Settings
from studio.project.new_project import NewProjectDialog
from studio.project.project import ProjectController, free_folder
from studio.services import Controller, Services
from studio.view.template import present_templates
from studio.window.dialog.text import TextDialog
from widgets.common.command_palette import CommandEntry, CommandPalette


class HelpController(Controller):
    """Opens what explains and what is chosen once."""

    def __init__(
        self,
        services: Services,
        project: ProjectController,
        *,
        inspector: Inspector,
        actions: ActionSet,
        on_setting: Callable[[str], object],
    ) -> None:
        super().__init__(services, project)
        self._settings = services.settings
        self._machine = services.machine
        self._inspector = inspector
        self._project = project
        self._on_setting = on_setting
        self._actions = actions
        self._preferences: PreferencesDialog | None = None
        self._tour: Tour | None = None
        self.manual = Manual(services, actions.commands.values())
        DialogHelp(self._window, self.manual.show_page, self)
        self._palette = CommandPalette(self._window)
        self._palette.triggered.connect(actions.trigger)

    def dispose(self) -> None:
        """Take away what lies over the window."""
        self._palette.deleteLater()
        self.manual.close()
        for dialog in self._window.findChildren(QDialog):
            if dialog is not self._preferences and not dialog.isModal():
                dialog.close()  # it speaks another language and its controller goes
        if self._tour is not None:
            self._tour.leave()

    def show_commands(self) -> None:
        """Let the user find a command by typing."""
        self._palette.open_with(self.command_entries())

    def command_entries(self) -> tuple[CommandEntry, ...]:
        """Return every command as the palette of commands lists it."""
        actions = self._actions
        return tuple(
            CommandEntry(
                id=command.id,
                title=actions.action(command.id).text(),
                path=without_mnemonic(translate("Action", dict(MENUS)[command.menu])),
                shortcut=actions.action(command.id)
                .shortcut()
                .toString(QKeySequence.SequenceFormat.NativeText),
                english=command.title,
                aliases=tuple(command.words.split()),
                is_enabled=actions.action(command.id).isEnabled(),
            )
            for command in actions.commands.values()
        )

    def ask_new(self) -> None:
        """Let the user say where a new project goes."""
        language = self._language()
        groups = present_templates(templates(), language)

        def create(path: Path, template: str) -> str:
            return self._project.refusal_to_create(path, template or None)

        folder = free_folder(translate("NewProject", "model"))
        NewProjectDialog(self._window, folder, groups, create).open()

    def show_preferences(self) -> None:
        """Show the preferences."""
        dialog = PreferencesDialog(self._window, self._settings.value)
        dialog.value_changed.connect(self._on_preference_changed)
        dialog.reset_requested.connect(
            lambda name: self._on_preference_changed(name, str(getattr(Settings(), name)))
        )
        dialog.machines_requested.connect(
            lambda: self._actions.trigger("action.run.known_machines")
        )
        self._preferences = dialog
        dialog.finished.connect(self._forget_preferences)
        dialog.show()

    def show_topic(self) -> None:
        """Show the help for what has the focus: a setting, a layer, or the workspace."""
        session = self._session
        chosen = session.selection
        if self.manual.show_focused_field():
            return
        if self._window.workspace == "model" and len(chosen) == 1:
            entry = entry_of(session.level, session.level.nodes[chosen[0]])
            if entry is not None:
                self._window.show_dock("inspector")
                self._inspector.show_documentation()
                return
        self.manual.show_page(page_of_tab(self._window.workspace, self._window.front))

    def start_tour(self) -> None:
        """Lead through the window."""
        if self._tour is not None:
            self._tour.leave()
        self._tour = Tour(self._window)
        self._tour.finished.connect(self._on_tour_finished)
        self._tour.begin()

    def show_last_report(self) -> None:
        """Show the newest crash report, if there is one."""
        recorder = self._machine.recorder
        reports = recorder.reports() if recorder else []
        if reports:
            self.show_report(reports[0])
        else:
            self._notifications.tell(translate("Help", "There is no crash report."), "success")

    def show_report(self, path: Path) -> None:
        """Show a crash report."""
        machine = self._machine.capabilities
        text = f"{diagnosis(machine)}\n\n{path.read_text(encoding='utf-8', errors='replace')}"
        title = translate("Help", "Crash report")
        TextDialog(self._window, "report", title=title, text=text).show()

    def copy_diagnostics(self) -> None:
        """Put versions and system into the clipboard."""
        machine = self._machine.capabilities
        QGuiApplication.clipboard().setText(diagnosis(machine))
        self._notifications.tell(
            translate("Help", "Version and system information was copied to the clipboard."),
            "success",
        )

    def show_about(self) -> None:
        """Show what this program is."""
        machine = self._machine.capabilities
        words = translate(
            "Help", "A desktop studio for PyTorch: build a model, train it, and export the code."
        )
        text = f"Trellis {VERSION}\n{words}\nApache License 2.0\n\n{diagnosis(machine)}"
        title = translate("Help", "About Trellis")
        TextDialog(self._window, "about", title=title, text=text).show()

    def _on_preference_changed(self, name: str, text: str) -> None:
        now = getattr(self._settings.value, name)
        value: object = text
        if isinstance(now, bool):
            value = text.lower() == "true"
        elif isinstance(now, int | float):
            try:
                value = type(now)(text)
            except ValueError:
                return
        if name == "autosave_s" and not 5 <= int(str(value)) <= 3600:
            return
        self._settings.change(**{name: value})
        if self._preferences is not None:
            self._preferences.set_value(self._settings.value)
        self._on_setting(name)

    def _forget_preferences(self) -> None:
        self._preferences = None

    def _on_tour_finished(self) -> None:
        self._tour = None
        self._settings.change(tour_done=True)
