"""What each command does."""

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtGui import QGuiApplication

from studio.controllers.help import HelpController
from studio.controllers.leaving import LeavingController
from studio.controllers.model import ModelController
from studio.controllers.project import ProjectController
from studio.i18n import translate
from studio.main_window import WELCOME
from studio.services import Services
from widgets.canvas.canvas import Canvas
from widgets.common.theme import SCALES

_DOCKS = ("palette", "inspector", "problems", "log", "code")
_WORKSPACES = ("model", "data", "train", "runs", "export")
_THEMES = ("system", "light", "dark")
_LANGUAGES = {"auto": "auto", "en": "en", "zh_cn": "zh_CN"}


@dataclass(frozen=True, kw_only=True)
class Parts:
    """What commands act on."""

    services: Services
    canvas: Canvas
    project: ProjectController
    leaving: LeavingController
    model: ModelController
    help: HelpController
    reset_layout: Callable[[], object]
    apply_settings: Callable[[], object]
    update_actions: Callable[[], object]


def build_callbacks(parts: Parts) -> dict[str, Callable[[], object]]:
    """Return what to call for each command, by its id."""
    named = {
        "file": _file(parts),
        "edit": _edit(parts),
        "view": _view(parts),
        "model": _model(parts),
        "run": _run(parts),
        "help": _help(parts),
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


def _file(parts: Parts) -> dict[str, Callable[[], object]]:
    project, window = parts.project, parts.services.window
    return {
        "new": lambda: parts.leaving.leave_then(parts.help.ask_new),
        "open": lambda: parts.leaving.leave_then(project.ask_open),
        "welcome": lambda: window.show_workspace(WELCOME),
        "save": project.save,
        "save_as": project.ask_save_as,
        "reveal": project.reveal,
        "picture": lambda: _copy_picture(parts),
        "preferences": parts.help.show_preferences,
        "close": lambda: parts.leaving.leave_then(project.close),
        "quit": window.close,
    }


def _edit(parts: Parts) -> dict[str, Callable[[], object]]:
    session, model = parts.services.session, parts.model
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


def _view(parts: Parts) -> dict[str, Callable[[], object]]:
    services = parts.services
    window = services.window

    def set_theme(name: str) -> None:
        services.settings.change(theme=name)
        services.apply_look()
        parts.update_actions()

    def set_language(code: str) -> None:
        services.settings.change(language=code)
        services.apply_language()

    verbs: dict[str, Callable[[], object]] = {
        "commands": parts.help.show_commands,
        "reset_layout": parts.reset_layout,
        "text_larger": lambda: _scale(parts, +1),
        "text_smaller": lambda: _scale(parts, -1),
        "text_normal": lambda: _scale(parts, 0),
        "full_screen": lambda: _toggle_full_screen(parts),
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


def _model(parts: Parts) -> dict[str, Callable[[], object]]:
    canvas = parts.canvas

    def switch(name: str) -> None:
        settings = parts.services.settings
        settings.change(**{name: not getattr(settings.value, name)})
        parts.apply_settings()

    return {
        "add": canvas.open_search,
        "rename": canvas.begin_rename,
        "arrange": parts.model.arrange,
        "fit": canvas.fit,
        "zoom_in": canvas.zoom_in,
        "zoom_out": canvas.zoom_out,
        "snap": lambda: switch("snap"),
        "minimap": lambda: switch("minimap"),
        "copy_code": lambda: _copy_code(parts),
    }


def _run(parts: Parts) -> dict[str, Callable[[], object]]:
    runs, window = parts.services.runs, parts.services.window

    def start() -> None:
        window.show_workspace("train")
        runs.start()

    return {
        "start": start,
        "pause": runs.toggle_pause,
        "step": runs.step,
        "stop": runs.stop,
        "resume": runs.go_on,
    }


def _help(parts: Parts) -> dict[str, Callable[[], object]]:
    return {
        "topic": parts.help.show_topic,
        "tour": parts.help.start_tour,
        "manual": lambda: parts.help.manual.show_page("welcome"),
        "shortcuts": lambda: parts.help.manual.show_page("keyboard"),
        "crash_report": parts.help.show_last_report,
        "diagnostics": parts.help.copy_diagnostics,
        "about": parts.help.show_about,
    }


def _copy_picture(parts: Parts) -> None:
    QGuiApplication.clipboard().setPixmap(parts.services.window.grab())
    parts.services.messenger.tell(
        translate("Window", "A picture of the window is in the clipboard."), "success"
    )


def _copy_code(parts: Parts) -> None:
    source = parts.services.session.findings.analysis.source
    if source:
        QGuiApplication.clipboard().setText(source)
        parts.services.messenger.tell(
            translate("Model", "The code is in the clipboard."), "success"
        )
    else:
        parts.services.messenger.tell(
            translate("Model", "There is no code yet: mend the problems first."), "warning"
        )


def _scale(parts: Parts, direction: int) -> None:
    settings = parts.services.settings
    nearest = min(range(len(SCALES)), key=lambda i: abs(SCALES[i] - settings.value.text_scale))
    place = max(0, min(len(SCALES) - 1, nearest + direction)) if direction else SCALES.index(1.0)
    settings.change(text_scale=SCALES[place])
    parts.services.apply_look()


def _toggle_full_screen(parts: Parts) -> None:
    window = parts.services.window
    if window.isFullScreen():
        window.showNormal()
    else:
        window.showFullScreen()
    parts.update_actions()
