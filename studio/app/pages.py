"""Makes the pages behind the workspaces, each in steps too short to be felt.

What the pages are made of is imported only when they are: the plotting library alone takes longer
than all the rest of the window.
"""

import importlib
import importlib.util
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future

from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QWidget
from shiboken6 import isValid

from engine.runtime.export_formats import export_formats
from studio.i18n import translate
from studio.model.comparison.controller import ModelComparisonController
from studio.model.inspector.controller import PanelController
from studio.model.repair.controller import RepairController
from studio.model.workspace.page import ModelWorkspace
from studio.process.thread_handover import OwnedHandover, ThreadHandover
from studio.services import Services
from studio.view.export import present_formats
from studio.window.main_window import Workspace
from studio.window.paged import PagedWorkspace, in_steps
from studio.window.splitters import keep_splitters
from widgets.canvas.canvas import Canvas

_QT = ("QtCore", "QtGui", "QtWidgets", "QtSvg", "QtOpenGLWidgets", "QtTest")
_CLASSES_S = 0.005
_REST_MS = 2


def import_apart(
    owner: QObject,
    border: ThreadHandover | OwnedHandover,
    imports: Callable[[], None],
    then: Callable[["Future[None]"], object],
) -> None:
    """Import off Qt's thread, and hand the finished future over in it. Before that PySide makes all
    its classes in Qt's thread: where two threads make some at once, the process ends.
    """
    _complete(_classes(), owner, lambda: border.run(imports, then))


def _complete(steps: Iterator[None], owner: QObject, then: Callable[[], object]) -> None:
    """Take steps for a few milliseconds at a time, then do something."""
    end = time.monotonic() + _CLASSES_S
    for _ in steps:
        if time.monotonic() >= end:
            QTimer.singleShot(_REST_MS, owner, lambda: _complete(steps, owner, then))
            return
    then()


def _classes() -> Iterator[None]:
    """Have PySide make all classes of the modules that the plotting library names as it is
    imported, one a step; those that are made already take no time.
    """
    for name in _QT:
        if importlib.util.find_spec(f"PySide6.{name}") is None:
            continue
        module = importlib.import_module(f"PySide6.{name}")
        for attribute in dir(module):
            getattr(module, attribute)
            yield


def import_pages() -> None:
    """Import what the pages are made of; off Qt's thread, so that the window does not wait."""
    for name in ("data", "train", "runs.table", "export"):
        importlib.import_module(f"studio.{name}.controller")


def workspaces(
    services: Services,
    model: ModelWorkspace,
    panels: PanelController,
    repairs: RepairController,
    *,
    models: ModelComparisonController,
    ask_weights: Callable[[], object],
    show_node: Callable[[str], object],
) -> list[Workspace]:
    """Return the workspaces in the order of the work; the page of the model is there already, and
    ``panels`` know the way to a problem, ``repairs`` what mends it; ``models`` compares them,
    ``ask_weights`` lets weights to
    start from be chosen, ``show_node`` shows the node at a path of the model.
    """
    builds: dict[str, Callable[[], Iterator[QWidget]]] = {
        "model": lambda: iter((model,)),
        "data": lambda: _data(services, panels, repairs),
        "train": lambda: _train(services, ask_weights),
        "inspect": lambda: _inspect(services, model.canvas, show_node),
        "runs": lambda: _runs(services, models),
        "export": lambda: _export(services),
    }
    return [
        Workspace(name=name, icon=name, title=title, help=text, build=builds[name])
        for name, title, text in _texts()
    ]


def _texts() -> tuple[tuple[str, str, str], ...]:
    """Return name, title and help of each workspace."""
    return (
        (
            "model",
            translate("Window", "Model"),
            translate("Window", "Draw the model (Ctrl+1)"),
        ),
        (
            "data",
            translate("Window", "Data"),
            translate("Window", "Choose data and look at them (Ctrl+2)"),
        ),
        (
            "train",
            translate("Window", "Train"),
            translate("Window", "Set the recipe and watch the curves (Ctrl+3)"),
        ),
        (
            "inspect",
            translate("Window", "Inspect"),
            translate("Window", "Look inside a training step (Ctrl+4)"),
        ),
        (
            "runs",
            translate("Window", "Runs"),
            translate("Window", "Compare runs and go on from checkpoints (Ctrl+5)"),
        ),
        (
            "export",
            translate("Window", "Export"),
            translate("Window", "Take weights and code away (Ctrl+6)"),
        ),
    )


def _data(
    services: Services, panels: PanelController, repairs: RepairController
) -> Iterator[QWidget]:
    from studio.data.controller import DataController
    from studio.data.page import DataWorkspace

    page = DataWorkspace()
    yield from in_steps(page)
    controller = DataController(
        session=services.session,
        page=page,
        host=services.host,
        border=services.border,
        editor=services.editor,
        language=services.code,
        show_problem=panels.show_problem,
        mend=repairs.mend,
    )
    for _ in controller.begin():
        yield page
    keep_splitters(page, services.settings)


def _train(services: Services, ask_weights: Callable[[], object]) -> Iterator[QWidget]:
    from studio.train.controller import TrainController
    from studio.train.page import TrainWorkspace

    page = TrainWorkspace()
    yield from in_steps(page)
    controller = TrainController(
        session=services.session,
        page=page,
        runs=services.runs,
        host=services.host,
        border=services.border,
        editor=services.editor,
        language=services.code,
        devices=services.machine.devices,
        messenger=services.messenger,
    )
    page.form.browse_requested.connect(lambda _field: ask_weights())
    for _ in controller.begin():
        yield page
    keep_splitters(page, services.settings)


def _inspect(
    services: Services, canvas: Canvas, show_node: Callable[[str], object]
) -> Iterator[QWidget]:
    from studio.inspect.feature import PageContext
    from studio.inspect.features import built, import_inspect_pages, inspect_features
    from studio.inspect.playground.picture_drop import PictureDrop
    from studio.inspect.workspace import InspectWorkspace

    page = InspectWorkspace()
    yield page
    context = PageContext(services=services, canvas=canvas, show_node=show_node)
    PictureDrop(
        page=page,
        window=services.window,
        canvas=canvas,
        session=services.session,
        messenger=services.messenger,
    )
    for each in inspect_features():
        page.add_page(
            each.name,
            translate("Inspect", each.title),
            translate("Inspect", each.help),
            lambda each=each: built(each, context),
        )
        yield page

    def build_rest(imported: "Future[None]") -> None:
        imported.result()
        page.build_rest()

    def follow_debugger() -> None:
        is_used = services.debugging.points or services.debugging.stop is not None
        if is_used and isValid(page):  # a change of language makes another
            page.build_page("debugger")  # it marks the canvas too

    border = services.border.of(page)
    page.visited.connect(lambda: import_apart(page, border, import_inspect_pages, build_rest))
    services.session.run_changed.connect(follow_debugger)
    services.debugging.changed.connect(follow_debugger)


def _runs(services: Services, models: ModelComparisonController) -> Iterator[QWidget]:
    from studio.app.run_pages import add_run_pages

    page = PagedWorkspace(
        "runs", translate("Runs", "Runs workspace"), translate("Runs", "Pages of Runs")
    )
    yield page
    add_run_pages(page, services, models)
    for _ in page.build_first():
        yield page


def _export(services: Services) -> Iterator[QWidget]:
    from studio.export.comparison import ComparisonController
    from studio.export.controller import ExportController
    from studio.export.page import ExportWorkspace

    page = ExportWorkspace(present_formats(export_formats()))
    yield from in_steps(page)
    ExportController(
        session=services.session,
        page=page,
        runs=services.runs,
        host=services.host,
        border=services.border,
        messenger=services.messenger,
        language=services.code,
    )
    ComparisonController(
        session=services.session,
        page=page,
        host=services.host,
        border=services.border,
        language=services.code,
    )
    keep_splitters(page, services.settings)
