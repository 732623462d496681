"""A window without torch: the host process is played by canned answers."""

import re
from concurrent.futures import Future
from functools import cache
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QApplication

from engine.diagnostics import Diagnostic, DiagnosticError
from engine.graph.analysis import Analysis, NodeReport, TensorType
from engine.graph.repair.proposals import proposals
from engine.project import Project
from engine.query.machine.request import Capabilities, GetCapabilities
from engine.query.model.request import (
    Analyse,
    Check,
    CheckReport,
    FitModels,
    FittedModel,
    FittedModels,
    Repair,
    Repairs,
)
from engine.spec.data import DataInfo, FieldInfo, SplitInfo
from studio.process import desktop
from tests.window_parts import Bench

DIGITS = DataInfo(
    source="digits",
    samples=10,
    task="classification",
    fields=(
        FieldInfo(name="image", role="input", kind="image", shape=(1, 8, 8), dtype="float32"),
        FieldInfo(
            name="label", role="target", kind="class", shape=(), dtype="int64", classes=("0", "1")
        ),
    ),
    splits=(SplitInfo(name="train", samples=10, class_counts=(5, 5)),),
)
IRIS = DataInfo(
    source="iris",
    samples=6,
    task="classification",
    fields=(
        FieldInfo(name="features", role="input", kind="vector", shape=(4,), dtype="float32"),
        FieldInfo(
            name="species", role="target", kind="class", shape=(), dtype="int64", classes=("a", "b")
        ),
    ),
)
LOOKS = re.compile(
    r"\.(rect|width|height|size|geometry|palette|font|resize)\(|sizeHint|[rR]ect\(|grab\(|visibleRegion"
    r"|[sS]tyle_?[sS]heet|[cC]olou?r|[tT]heme\b|[sS]crollBar|screenshot|fits|overlap|clipped|elide"
)
"""How a file of tests speaks of looks and places on the screen."""


class FakeHost:
    """Answers at once, or when it is told to; problems are what the test says."""

    def __init__(self) -> None:
        self.problems: tuple[Diagnostic, ...] = ()
        self.held: list = []
        self.is_holding = False
        self.requests: list = []
        self.own: dict[type, object] = {}  # a test's own result or error, by the kind of request
        self.on_reading = lambda _request, _progress: None
        self.given_up = 0  # how often the user gave reading up

    def request(self, request):
        self.requests.append(request)
        future: Future = Future()
        if self.is_holding:
            self.held.append((request, future))
        else:
            self.answer(request, future)
        return future

    def give_up_reading(self, *_kinds) -> None:
        self.given_up += 1

    def answer(self, request, future) -> None:
        if type(request) in self.own:
            given = self.own[type(request)]
            result = given(request) if callable(given) else given
            if isinstance(result, Exception):
                future.set_exception(result)
            else:
                future.set_result(result)
            return
        match request:
            case GetCapabilities():
                future.set_result(
                    Capabilities(
                        python="3.11",
                        versions={"torch": "2.15"},
                        threads=2,
                        memory_bytes=1 << 33,
                        free_memory_bytes=1 << 32,
                    )
                )
            case Analyse():
                future.set_result(self.analysis(request.graph))
            case Check():
                analysis = self.analysis(request.graph)
                infos = {"digits": DIGITS, "iris": IRIS}
                future.set_result(
                    CheckReport(
                        analysis=analysis,
                        data=infos.get(request.spec.data.source.type),
                        problems=(*analysis.problems, *self.problems),
                    )
                )
            case FitModels(graph=graph, specs=specs):
                problems = (*self.analysis(graph).problems, *self.problems)
                model = FittedModel(graph=graph, problems=problems)
                future.set_result(FittedModels(models=(model,) * len(specs)))
            case Repair(graph=graph, problems=problems):
                found = [proposals(problem, graph, self.analysis(graph)) for problem in problems]
                future.set_result(Repairs(fixes=tuple(found)))  # untried: that needs torch
            case _:
                future.set_exception(DiagnosticError(Diagnostic(code="E011")))

    def analysis(self, graph) -> Analysis:
        tensor = TensorType(shape=("N", 4), dtype="float32")
        return Analysis(
            nodes={
                key: NodeReport(outputs={"output": tensor}, parameters=10) for key in graph.nodes
            },
            parameters=10 * len(graph.nodes),
            source="class Model:\n    pass\n",
        )


@pytest.fixture(autouse=True, scope="session")
def _application(qapp: QApplication) -> None:
    """Have an application in every test: Qt ends a process that draws text without one."""


@pytest.fixture
def host() -> FakeHost:
    return FakeHost()


@pytest.fixture
def project_path(tmp_path: Path) -> Path:
    path = tmp_path / "digits"
    Project.create(path, "digits-mlp")
    return path


@pytest.fixture
def handed_over(monkeypatch) -> list[str]:
    """Return what the desktop was asked to open: no other program is started by a test."""
    asked: list[str] = []

    def open_url(url) -> bool:
        asked.append(url.toLocalFile() or url.toString())
        return True

    monkeypatch.setattr(QDesktopServices, "openUrl", open_url)
    for name in ("text_command", "folder_command"):  # other systems have programs for these
        monkeypatch.setattr(desktop, name, lambda *_: ())
    return asked


@pytest.fixture
def unseen_pages() -> None:
    """Have pages that nobody has looked at built while the program waits, as users have."""


@pytest.fixture
def no_background(request, monkeypatch, handed_over) -> None:
    """Prepare for no run and no dialog of files, and build pages only when they are looked at: it
    takes half a second of the processor to build all of them.
    """
    from engine.runtime import Standby
    from studio.app.app import Studio
    from studio.window.paged import PagedWorkspace

    monkeypatch.setattr(Standby, "prepare", lambda self: None)
    monkeypatch.setattr("studio.app.app.begin_at_home", lambda: None)
    if "unseen_pages" not in request.fixturenames:
        monkeypatch.setattr(Studio, "_build_pages", lambda self: None)
        monkeypatch.setattr(PagedWorkspace, "build_rest", lambda self: None)


@pytest.fixture
def bare_look(request, qapp, monkeypatch):
    """Have windows without the style sheet, for which a quarter of the time to open one goes, where
    no test of the file is about how something looks or where it stands.
    """
    if _asks_for_looks(request.path):
        yield
        return
    sheet = qapp.styleSheet()
    monkeypatch.setattr("widgets.common.theme.stylesheet", lambda *_: "")
    qapp.setStyleSheet("")
    yield
    qapp.setStyleSheet(sheet)


@cache
def _asks_for_looks(path: Path) -> bool:
    return LOOKS.search(path.read_text("utf-8")) is not None


@pytest.fixture
def studio(qapp, host, tmp_path, no_background, bare_look):
    """Return the whole program with settings of its own and without processes."""
    from studio.app.app import build_app
    from studio.process.settings import SettingsStore

    settings = SettingsStore(tmp_path / "settings")
    settings.change(language="en", theme="light")
    made = build_app(qapp, settings=settings, host=host)
    made.bench = Bench(made)
    made.window.resize(1280, 800)
    yield made
    made.quit()
    made.language.switch("en")
    made.window.deleteLater()
    made.deleteLater()
    # without a running loop Qt keeps them, and each change of theme would go through all windows
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


@pytest.fixture
def opened(studio, project_path, qtbot):
    """Return the program with a project open and everything checked; pages that nobody has looked
    at are built when they are shown.
    """
    studio.show(project_path)  # the background begins by itself, once
    qtbot.waitUntil(lambda: studio.session.findings.is_checked)
    return studio


@pytest.fixture
def built(opened):
    """Return the program with a project open, everything checked, and all pages built."""
    while opened.window.build_pages(1.0):
        pass
    return opened
