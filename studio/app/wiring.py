"""What each command does."""

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtGui import QGuiApplication

from engine.graph.block import SEPARATOR
from studio.app.canvas_tools import CanvasTools
from studio.app.custom_code import OwnCode
from studio.app.devices import device_callbacks
from studio.app.model_sources import ModelSources
from studio.app.surgery import Surgery
from studio.command.inspect import INSPECT
from studio.export.page import ExportWorkspace
from studio.help.controller import HelpController
from studio.help.installation.controller import InstallationController
from studio.i18n import translate
from studio.inspect.workspace import InspectWorkspace
from studio.log.controller import LogController
from studio.model.block.controller import BlockController
from studio.model.canvas.annotation import is_collapsed
from studio.model.canvas.bypass import is_bypassed, is_muted
from studio.model.canvas.controller import ModelController, is_pinned
from studio.model.comparison.controller import ModelComparisonController
from studio.model.inspector.initialisation_controller import InitialController
from studio.model.library.controller import LibraryController
from studio.model.outline.controller import OutlineController
from studio.model.repair.controller import RepairController
from studio.model.surgery.controller import is_frozen
from studio.model.text.export import CodeController
from studio.project.project import ProjectController
from studio.run_control.leaving import LeavingController
from studio.services import Services
from studio.train.cluster.controller import ClusterController
from studio.window.main_window import WELCOME
from studio.window.paged import PagedWorkspace
from widgets.canvas.canvas import Canvas
from widgets.common.theme import SCALES

_DOCKS = ("palette", "inspector", "problems", "log", "code")
_WORKSPACES = ("model", "data", "train", "inspect", "runs", "export")
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
    blocks: BlockController
    library: LibraryController
    outline: OutlineController
    sources: ModelSources
    initial: InitialController
    models: ModelComparisonController
    tools: CanvasTools
    surgery: Surgery
    repairs: RepairController
    code: CodeController
    own_code: OwnCode
    flush: Callable[[], object]
    help: HelpController
    run_log: LogController
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
        "code": parts.own_code.callbacks(),
        "run": _run(parts),
        "inspect": _inspect(parts),
        "help": _help(parts),
    }
    return {
        f"action.{menu}.{verb}": _flushed(parts, callback)
        for menu, verbs in named.items()
        for verb, callback in verbs.items()
    }


def _flushed(parts: Parts, callback: Callable[[], object]) -> Callable[[], object]:
    """Take over what is being typed before a command acts: it is a part of the work."""

    def act() -> None:
        parts.flush()
        callback()

    return act


def checked_commands(services: Services, canvas: Canvas) -> frozenset[str]:
    """Return the commands that stand for something that is switched on."""
    window, value = services.window, services.settings.value
    language = value.language.lower()
    checked = {
        f"action.view.theme_{value.theme}",
        f"action.view.language_{language}",
        *(f"action.view.{name}" for name in _DOCKS if window.is_dock_shown(name)),
    }
    if is_pinned(services.session):
        checked.add("action.model.pin")
    if is_bypassed(services.session):
        checked.add("action.model.bypass")
    if is_muted(services.session):
        checked.add("action.model.mute")
    if is_frozen(services.session):
        checked.add("action.model.freeze")
    if canvas.is_brushing:
        checked.add("action.model.brush")
    if is_collapsed(services.session):
        checked.add("action.model.collapse")
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
        "open_picture": lambda: parts.leaving.leave_then(project.ask_open_picture),
        "import": parts.sources.importing.ask,
        "welcome": lambda: window.show_workspace(WELCOME),
        "save": project.save,
        "save_as": project.ask_save_as,
        "reveal": project.reveal,
        "compare": lambda: _compare(parts),
        "export_picture": parts.tools.picture.ask_save,
        "picture": lambda: _copy_picture(parts),
        "preferences": parts.help.show_preferences,
        "close": lambda: parts.leaving.leave_then(project.close),
        "quit": window.close,
    }


def _edit(parts: Parts) -> dict[str, Callable[[], object]]:
    model = parts.model
    return {
        "undo": lambda: _go(parts, back=True),
        "redo": lambda: _go(parts, back=False),
        "cut": parts.tools.clipboard.cut,
        "copy": parts.tools.clipboard.copy,
        "paste": parts.tools.clipboard.paste,
        "duplicate": parts.tools.clipboard.duplicate,
        "delete": model.delete,
        "select_all": model.select_all,
    }


def _go(parts: Parts, *, back: bool) -> None:
    """Undo or redo, and say what it was: it may be on another page than the one that is seen."""
    session = parts.services.session
    what = session.undo_label if back else session.redo_label
    text = translate("Window", "Undone: {what}") if back else translate("Window", "Redone: {what}")
    (session.undo if back else session.redo)()
    if what:
        parts.services.window.status.say(text.format(what=what))


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
        "phrase": canvas.open_phrase,
        "find": parts.tools.find.ask,
        "rename": canvas.begin_rename,
        "fix": parts.repairs.offer,
        "group": parts.blocks.group,
        "switch": parts.blocks.make_switch,
        "ungroup": parts.blocks.ungroup,
        "enter": parts.blocks.enter,
        "leave": parts.blocks.leave,
        "unique": parts.blocks.make_unique,
        "share": parts.blocks.share,
        "compare": parts.models.show,
        "weights": lambda: _show_weights(parts),
        "begin_alike": parts.initial.begin_alike,
        "keep": parts.library.save,
        "library": parts.library.manage,
        "remove_unused": parts.blocks.remove_unused,
        "outline": parts.outline.show,
        "arrange": parts.model.arrange,
        "pin": parts.model.toggle_pin,
        **parts.tools.callbacks(),
        **parts.surgery.callbacks(),
        "fit": canvas.fit,
        "zoom_selection": canvas.zoom_to_selection,
        "zoom_in": canvas.zoom_in,
        "zoom_out": canvas.zoom_out,
        "snap": lambda: switch("snap"),
        "minimap": lambda: switch("minimap"),
        "copy_code": parts.code.copy,
        "save_code": parts.code.ask_save,
    }


def _cluster(services: Services) -> ClusterController:
    return ClusterController(
        session=services.session,
        runs=services.runs,
        trust=services.trust,
        border=services.border,
        window=services.window,
        messenger=services.messenger,
        language=services.code,
    )


def _run(parts: Parts) -> dict[str, Callable[[], object]]:
    runs, window = parts.services.runs, parts.services.window

    def start() -> None:
        window.show_workspace("train")
        runs.start()

    def show(name: str) -> None:
        window.show_workspace("runs")
        page = window.page("runs")
        assert isinstance(page, PagedWorkspace)
        page.show_page(name)

    return {
        "start": start,
        **{name: lambda name=name: show(name) for name in ("search", "queue", "projects")},
        "pause": runs.toggle_pause,
        "step": runs.step,
        "stop": runs.stop,
        "resume": runs.go_on,
        "machines": _cluster(parts.services).show,
        "log": parts.run_log.open_file,
        "bring_back": runs.bring_back,
        "weights": parts.sources.weights.ask,
        **parts.services.debugging.callbacks(),
        **device_callbacks(parts.services),
    }


def _inspect(parts: Parts) -> dict[str, Callable[[], object]]:
    window = parts.services.window

    def show(name: str) -> None:
        window.show_workspace("inspect")
        page = window.page("inspect")
        assert isinstance(page, InspectWorkspace)
        page.show_page(name)

    def look() -> None:
        """Look at what the chosen node computes."""
        from studio.inspect.tensors.page import TensorsPage  # loads numpy

        chosen = parts.canvas.selected_nodes()
        show("tensors")
        page = window.page("inspect").findChild(TensorsPage)
        if page is not None and chosen:
            place = SEPARATOR.join((*parts.services.session.path, chosen[0]))
            page.capture_requested.emit(f"activation {place}")

    names = [command.id.rsplit(".", 1)[1] for command in INSPECT]
    return {"look": look, **{name: lambda name=name: show(name) for name in names}}


def _help(parts: Parts) -> dict[str, Callable[[], object]]:
    services = parts.services
    installation = InstallationController(
        parts.help,
        window=services.window,
        border=services.border,
        host=services.host,
        language=services.code,
    )
    return {
        "topic": parts.help.show_topic,
        "tour": parts.help.start_tour,
        "manual": lambda: parts.help.manual.show_page("welcome"),
        "shortcuts": lambda: parts.help.manual.show_page("keyboard"),
        "installation": installation.show,
        "crash_report": parts.help.show_last_report,
        "diagnostics": parts.help.copy_diagnostics,
        "about": parts.help.show_about,
    }


def _compare(parts: Parts) -> None:
    window = parts.services.window
    window.show_workspace("export")
    page = window.page("export")
    assert isinstance(page, ExportWorkspace)
    page.compare_requested.emit()


def _show_weights(parts: Parts) -> None:
    parts.services.window.show_dock("inspector")
    parts.initial.show()


def _copy_picture(parts: Parts) -> None:
    QGuiApplication.clipboard().setPixmap(parts.services.window.grab())
    parts.services.messenger.tell(
        translate("Window", "A picture of the window is in the clipboard."), "success"
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
