"""What each command does."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtGui import QGuiApplication

from studio.i18n import translate
from studio.main_window import WELCOME
from studio.services import Services
from widgets.common.theme import SCALES

if TYPE_CHECKING:
    from studio.workbench import Workbench

_DOCKS = ("palette", "inspector", "problems", "log", "code")
_WORKSPACES = ("model", "data", "train", "runs", "export")
_THEMES = ("system", "light", "dark")
_LANGUAGES = {"auto": "auto", "en": "en", "zh_cn": "zh_CN"}


def build_callbacks(bench: "Workbench") -> dict[str, Callable[[], object]]:
    """Return what to call for each command, by its id."""
    named = {
        "file": _file(bench),
        "edit": _edit(bench),
        "view": _view(bench),
        "model": _model(bench),
        "run": _run(bench),
        "help": _help(bench),
    }
    return {
        f"action.{menu}.{verb}": callback
        for menu, verbs in named.items()
        for verb, callback in verbs.items()
    }


def checked_commands(services: Services) -> frozenset[str]:
    """Return the commands that stand for something that is switched on."""
    window, value = services.window, services.settings.value
    language = value.language.lower()
    checked = {
        f"action.view.theme_{value.theme}",
        f"action.view.language_{language}",
        *(f"action.view.{name}" for name in _DOCKS if window.is_dock_shown(name)),
    }
    if value.snap:
        checked.add("action.model.snap")
    if value.minimap:
        checked.add("action.model.minimap")
    if window.isFullScreen():
        checked.add("action.view.full_screen")
    return frozenset(checked)


def _file(bench: "Workbench") -> dict[str, Callable[[], object]]:
    project, window = bench.project, bench.services.window
    return {
        "new": lambda: bench.leaving.leave_then(bench.help.ask_new),
        "open": lambda: bench.leaving.leave_then(project.ask_open),
        "welcome": lambda: window.show_workspace(WELCOME),
        "save": project.save,
        "save_as": project.ask_save_as,
        "reveal": project.reveal,
        "picture": lambda: _copy_picture(bench),
        "preferences": bench.help.show_preferences,
        "close": lambda: bench.leaving.leave_then(project.close),
        "quit": window.close,
    }


def _edit(bench: "Workbench") -> dict[str, Callable[[], object]]:
    session, model = bench.services.session, bench.model
    return {
        "undo": session.undo,
        "redo": session.redo,
        "cut": model.cut,
        "copy": model.copy,
        "paste": model.paste,
        "duplicate": model.duplicate,
        "delete": model.delete,
        "select_all": model.select_all,
    }


def _view(bench: "Workbench") -> dict[str, Callable[[], object]]:
    services = bench.services
    window = services.window

    def set_theme(name: str) -> None:
        services.settings.change(theme=name)
        services.apply_look()
        bench.update_actions()

    def set_language(code: str) -> None:
        services.settings.change(language=code)
        services.apply_language()

    verbs: dict[str, Callable[[], object]] = {
        "commands": bench.help.show_commands,
        "reset_layout": bench.reset_layout,
        "text_larger": lambda: _scale(bench, +1),
        "text_smaller": lambda: _scale(bench, -1),
        "text_normal": lambda: _scale(bench, 0),
        "full_screen": lambda: _toggle_full_screen(bench),
    }
    for name in _WORKSPACES:
        verbs[name] = lambda name=name: window.show_workspace(name)
    for name in _DOCKS:
        verbs[name] = lambda name=name: window.toggle_dock(name)
    for name in _THEMES:
        verbs[f"theme_{name}"] = lambda name=name: set_theme(name)
    for name, code in _LANGUAGES.items():
        verbs[f"language_{name}"] = lambda code=code: set_language(code)
    return verbs


def _model(bench: "Workbench") -> dict[str, Callable[[], object]]:
    canvas = bench.model_page.canvas

    def switch(name: str) -> None:
        settings = bench.services.settings
        settings.change(**{name: not getattr(settings.value, name)})
        bench.apply_settings()

    return {
        "add": canvas.open_search,
        "rename": canvas.begin_rename,
        "arrange": bench.model.arrange,
        "fit": canvas.fit,
        "zoom_in": canvas.zoom_in,
        "zoom_out": canvas.zoom_out,
        "snap": lambda: switch("snap"),
        "minimap": lambda: switch("minimap"),
        "copy_code": lambda: _copy_code(bench),
    }


def _run(bench: "Workbench") -> dict[str, Callable[[], object]]:
    runs, window = bench.services.runs, bench.services.window

    def start() -> None:
        window.show_workspace("train")
        runs.start()

    return {
        "start": start,
        "pause": runs.toggle_pause,
        "step": runs.step,
        "stop": runs.stop,
        "resume": runs.resume,
    }


def _help(bench: "Workbench") -> dict[str, Callable[[], object]]:
    return {
        "topic": bench.help.show_topic,
        "tour": bench.help.start_tour,
        "shortcuts": bench.help.show_shortcuts,
        "crash_report": bench.help.show_last_report,
        "diagnostics": bench.help.copy_diagnostics,
        "about": bench.help.show_about,
    }


def _copy_picture(bench: "Workbench") -> None:
    QGuiApplication.clipboard().setPixmap(bench.services.window.grab())
    bench.services.messenger.tell(
        translate("Window", "A picture of the window is in the clipboard."), "success"
    )


def _copy_code(bench: "Workbench") -> None:
    source = bench.services.session.findings.analysis.source
    if source:
        QGuiApplication.clipboard().setText(source)
        bench.services.messenger.tell(
            translate("Model", "The code is in the clipboard."), "success"
        )
    else:
        bench.services.messenger.tell(
            translate("Model", "There is no code yet: mend the problems first."), "warning"
        )


def _scale(bench: "Workbench", direction: int) -> None:
    settings = bench.services.settings
    nearest = min(range(len(SCALES)), key=lambda i: abs(SCALES[i] - settings.value.text_scale))
    place = max(0, min(len(SCALES) - 1, nearest + direction)) if direction else SCALES.index(1.0)
    settings.change(text_scale=SCALES[place])
    bench.services.apply_look()


def _toggle_full_screen(bench: "Workbench") -> None:
    window = bench.services.window
    if window.isFullScreen():
        window.showNormal()
    else:
        window.showFullScreen()
    bench.update_actions()
