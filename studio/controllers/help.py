"""Finding commands and help: the palette of commands, F1, the tour, preferences, about."""

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtGui import QGuiApplication, QKeySequence

from engine.catalog.registry import catalog
from engine.graph.query import entry_of
from engine.graph.templates import templates
from studio.controllers.project import free_folder
from studio.diagnosis import VERSION, diagnosis
from studio.dialogs.new_project import NewProjectDialog
from studio.dialogs.preferences import PreferencesDialog
from studio.dialogs.text import TextDialog
from studio.i18n import translate
from studio.presenters.inspector import documentation_of
from studio.settings import Settings
from studio.welcome.tour import Tour
from widgets.common.command_palette import CommandEntry, CommandPalette

if TYPE_CHECKING:
    from studio.workbench import Workbench

_HELP = Path(__file__).parents[2] / "resources" / "help"


class HelpController(QObject):
    """Opens what explains and what is chosen once."""

    def __init__(self, bench: "Workbench") -> None:
        super().__init__(bench)
        self._bench = bench
        self._window = bench.services.window
        self._preferences: PreferencesDialog | None = None
        self._tour: Tour | None = None
        self._palette = CommandPalette(self._window)
        self._palette.triggered.connect(self._on_command)

    def show_commands(self) -> None:
        """Let the user find a command by typing."""
        actions = self._bench.actions
        self._palette.open_with(
            tuple(
                CommandEntry(
                    id=command.id,
                    title=actions.action(command.id).text(),
                    path=translate("Action", dict(_menu_titles())[command.menu]).replace("&", ""),
                    shortcut=actions.action(command.id)
                    .shortcut()
                    .toString(QKeySequence.SequenceFormat.NativeText),
                    aliases=(command.title, *command.words.split()),
                    is_enabled=actions.action(command.id).isEnabled(),
                )
                for command in actions.commands.values()
            )
        )

    def ask_new(self) -> None:
        """Let the user say where a new project goes."""
        language = self._bench.services.code()
        names = [(info.name, info.title_in(language)) for info in templates()]
        dialog = NewProjectDialog(
            self._window, free_folder(translate("NewProject", "model")), names
        )
        dialog.chosen.connect(self._on_new_chosen)
        dialog.open()

    def show_preferences(self) -> None:
        """Show the preferences."""
        dialog = PreferencesDialog(self._window, self._bench.services.settings.value)
        dialog.value_changed.connect(self._on_preference_changed)
        dialog.reset_requested.connect(
            lambda name: self._on_preference_changed(name, str(getattr(Settings(), name)))
        )
        self._preferences = dialog
        dialog.finished.connect(self._forget_preferences)
        dialog.show()

    def show_topic(self) -> None:
        """Show the help for what is selected: a layer, or the workspace."""
        session = self._bench.services.session
        chosen = session.selection
        if self._window.workspace == "model" and len(chosen) == 1:
            entry = entry_of(session.graph.nodes[chosen[0]])
            if entry is not None:
                self._window.show_dock("inspector")
                self._bench.inspector.show_documentation()
                return
        self.show_page(self._window.workspace)

    def show_entry(self, key: str) -> None:
        """Show the documentation of a layer of the palette."""
        entry = catalog().node(key)
        if entry is not None:
            self._show_markdown(entry.label or key, documentation_of(entry))

    def show_page(self, name: str) -> None:
        """Show a page of the manual."""
        language = self._bench.services.code()
        for folder in (_HELP / language, _HELP / "en"):
            path = folder / f"{name}.md"
            if path.is_file():
                title = translate("Help", "Help")
                self._show_markdown(title, path.read_text(encoding="utf-8"))
                return

    def start_tour(self) -> None:
        """Lead through the window."""
        if self._tour is not None:
            self._tour.leave()
        self._tour = Tour(self._window)
        self._tour.finished.connect(self._on_tour_finished)
        self._tour.begin()

    def show_shortcuts(self) -> None:
        """Show all commands that have a shortcut."""
        actions = self._bench.actions
        lines = [
            f"| {translate('Help', 'Command')} | {translate('Help', 'Keys')} |",
            "|---|---|",
        ]
        for command in actions.commands.values():
            if command.keys:
                action = actions.action(command.id)
                keys = ", ".join(key.toString() for key in action.shortcuts())
                lines.append(f"| {action.text().replace('&', '')} | `{keys}` |")
        lines += [
            f"| {translate('Help', 'Canvas: search and add')} | `Tab` |",
            f"| {translate('Help', 'Canvas: connect the selected layer')} | `C` |",
            f"| {translate('Help', 'Canvas: go from layer to layer')} | `←` `→` `↑` `↓` |",
        ]
        self._show_markdown(translate("Help", "Keyboard shortcuts"), "\n".join(lines))

    def show_last_report(self) -> None:
        """Show the newest crash report, if there is one."""
        recorder = self._bench.services.reports.recorder
        reports = recorder.reports() if recorder else []
        if reports:
            self.show_report(reports[0])
        else:
            self._bench.services.messenger.tell(
                translate("Help", "There is no crash report."), "success"
            )

    def show_report(self, path: Path) -> None:
        """Show a crash report."""
        machine = self._bench.services.machine.capabilities
        text = f"{diagnosis(machine)}\n\n{path.read_text(encoding='utf-8', errors='replace')}"
        title = translate("Help", "Crash report")
        TextDialog(self._window, "report", title=title, text=text).show()

    def copy_diagnostics(self) -> None:
        """Put versions and system into the clipboard."""
        machine = self._bench.services.machine.capabilities
        QGuiApplication.clipboard().setText(diagnosis(machine))
        self._bench.services.messenger.tell(
            translate("Help", "Versions and system are in the clipboard."), "success"
        )

    def show_about(self) -> None:
        """Show what this program is."""
        machine = self._bench.services.machine.capabilities
        words = translate(
            "Help", "A desktop studio for PyTorch: draw a model, train it, take the code away."
        )
        text = f"Trellis {VERSION}\n{words}\nApache License 2.0\n\n{diagnosis(machine)}"
        title = translate("Help", "About Trellis")
        TextDialog(self._window, "about", title=title, text=text).show()

    def _show_markdown(self, title: str, text: str) -> None:
        TextDialog(self._window, "help", title=title, text=text, is_markdown=True).show()

    def _on_command(self, command_id: str) -> None:
        action = self._bench.actions.action(command_id)
        if action.isEnabled():
            action.trigger()

    def _on_new_chosen(self, path: Path, template: str) -> None:
        self._bench.project.create(path, template or None)

    def _on_preference_changed(self, name: str, text: str) -> None:
        services = self._bench.services
        now = getattr(services.settings.value, name)
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
        services.settings.change(**{name: value})
        if self._preferences is not None:
            self._preferences.set_value(services.settings.value)
        if name == "language":
            services.apply_language()
        elif name in ("theme", "text_scale"):
            services.apply_look()
        else:
            self._bench.apply_settings()

    def _forget_preferences(self) -> None:
        self._preferences = None

    def _on_tour_finished(self) -> None:
        self._tour = None
        self._bench.services.settings.change(tour_done=True)


def _menu_titles() -> tuple[tuple[str, str], ...]:
    from studio.command_table import MENUS

    return MENUS
