"""A page of Inspect with its controller alone: a session, a canvas, canned answers, no window."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from types import SimpleNamespace

import pytest

from engine.project import Project
from studio.process.capabilities import Machine
from studio.process.settings import SettingsStore
from studio.process.thread_handover import ThreadHandover
from studio.session.session import Document, Session
from studio.session.trust import Trust
from studio.window.notifications import Notifications
from studio.window.page import PageWidget
from studio.window.paged import in_steps
from widgets.canvas.canvas import Canvas


@dataclass
class FakeRuns:
    """No run: keeps what is asked of one."""

    is_running: bool = False
    is_paused: bool = False
    asked: list = field(default_factory=list)
    started: int = 0

    def on_runs_changed(self, listener: Callable[[], object]) -> None:
        """Take a listener: there is never another run."""

    def look(self, command, steps: int = 1) -> bool:
        self.asked.append((command, steps))
        return self.is_running

    def start(self) -> None:
        self.started += 1


@dataclass(kw_only=True)
class Bench:
    """The services that controllers are given, as far as they use them; ``shown_nodes`` and
    ``went_to`` tell where they led.
    """

    session: Session
    host: object
    handover: ThreadHandover
    notifications: Notifications
    canvas: Canvas
    trust: Trust
    runs: FakeRuns = field(default_factory=FakeRuns)
    machine: Machine = field(default_factory=Machine)
    shown_nodes: list[str] = field(default_factory=list)
    went_to: list[str] = field(default_factory=list)

    @property
    def window(self) -> SimpleNamespace:
        return SimpleNamespace(show_workspace=self.went_to.append)

    def language_code(self) -> str:
        return "en"


@pytest.fixture
def bench(qapp, qtbot, host, project_path, tmp_path) -> Iterator[Bench]:
    """Return what controllers are given, with a project that is open and checked."""
    session, handover = Session(), ThreadHandover()
    canvas, notifications = Canvas(), Notifications(lambda: "en")
    qtbot.addWidget(canvas)
    trust = Trust(SettingsStore(tmp_path / "settings"))
    made = Bench(
        session=session,
        host=host,
        handover=handover,
        notifications=notifications,
        canvas=canvas,
        trust=trust,
    )
    open_project(session, Project.open(project_path))
    yield made
    handover.close()


def open_project(session: Session, project: Project) -> None:
    """Open a project, and find nothing wrong with it."""
    session.open(project, Document(graph=project.graph, spec=project.spec))
    session.find(is_current=True, is_checked=True)


def put_together(page: PageWidget, qtbot) -> None:
    """Put a page together; it is shown when its controller is there."""
    qtbot.addWidget(page)
    for _ in in_steps(page):
        pass
    page.resize(1000, 700)
