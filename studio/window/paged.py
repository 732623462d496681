"""Workspace of several pages side by side, one in front."""

from collections.abc import Callable, Iterable, Iterator

from PySide6.QtCore import QSignalBlocker, QTimer, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QTabBar, QVBoxLayout, QWidget

from studio.command.context import Context
from studio.command.feature import Feature
from studio.i18n import translate
from studio.process.settings import SettingsStore
from studio.window.splitters import keep_splitters
from widgets.common import parts
from widgets.common.page_stack import PageStack

_REST_MS = 8


class PagedWorkspace(QWidget):
    """Holds the pages. One is built when it comes to the front; the others soon after the first.

    Nothing is built before the workspace is looked at: who only draws and trains pays nothing for
    it. ``visited`` tells the first time that it is.
    """

    visited = Signal()

    def __init__(self, name: str, title: str, tabs_title: str) -> None:
        super().__init__()
        self.setObjectName(f"page.{name}")
        self.setAccessibleName(title)
        self.tabs = parts.named(QTabBar(self), f"{name}.tabs", tabs_title)
        self.tabs.setExpanding(False)
        self.tabs.setDrawBase(False)
        self.tabs.setUsesScrollButtons(True)
        self._stack = PageStack(self)
        self._stack.setObjectName(f"{name}.pages")
        column = parts.column(self.tabs, (self._stack, 1), margins=(0, 0, 0, 0), spacing=0)
        self._arrange(column)
        self._names: list[str] = []
        self._unfinished: dict[int, Iterator[None]] = {}
        self._is_visited = False
        self.tabs.currentChanged.connect(self._show)

    def _arrange(self, pages: QVBoxLayout) -> None:
        """Lay out the workspace round its pages, which fill it where there is nothing else."""
        self.setLayout(pages)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all pages in the order of their tabs."""
        return tuple(self._names)

    @property
    def page(self) -> str:
        """The name of the page in front; empty as long as there is none."""
        return self._names[self.tabs.currentIndex()] if self._names else ""

    def add_page(
        self, name: str, title: str, help_text: str, build: Callable[[], Iterator[QWidget]]
    ) -> None:
        """Add a page; ``build`` yields it after each step, at first empty."""
        frame = QWidget(self._stack)
        row = QVBoxLayout(frame)
        row.setContentsMargins(0, 0, 0, 0)
        self._unfinished[self._stack.addWidget(frame)] = _put_together(row, build)
        self._names.append(name)
        with QSignalBlocker(self.tabs):  # the first one is not to be built at once
            self.tabs.setTabToolTip(self.tabs.addTab(title), help_text)

    def build_rest(self) -> None:
        """Build what is not built yet, in short steps with time for the user between them."""
        if not self._unfinished:
            return
        index, steps = next(iter(self._unfinished.items()))
        try:
            next(steps)
        except StopIteration:
            del self._unfinished[index]
        QTimer.singleShot(_REST_MS, self, self.build_rest)

    def build_page(self, name: str) -> None:
        """Build a page now, if it is not."""
        self._build(self._names.index(name))

    def build_first(self) -> Iterator[None]:
        """Build the first page in its steps."""
        yield from self._unfinished.pop(0)

    def show_page(self, name: str) -> None:
        """Bring a page to the front."""
        self.build_page(name)
        self.tabs.setCurrentIndex(self._names.index(name))

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802 - Qt's name
        """Build the page in front at the first look."""
        if not self._is_visited:
            self._is_visited = True
            self._build(self.tabs.currentIndex())
            self.visited.emit()
        super().showEvent(event)

    def _show(self, index: int) -> None:
        if self._is_visited:
            self._build(index)
        self._stack.setCurrentIndex(index)

    def _build(self, index: int) -> None:
        for _ in self._unfinished.pop(index, iter(())):
            pass


def _put_together(row: QVBoxLayout, build: Callable[[], Iterator[QWidget]]) -> Iterator[None]:
    """Build a page in its steps, where it stays: a move has all of it styled again."""
    steps = build()
    row.addWidget(next(steps))
    yield
    for _ in steps:
        yield


def in_steps(page: QWidget) -> Iterator[QWidget]:
    """Yield a page empty, and after each step of building it; a small one is there at once."""
    yield page
    for _ in getattr(page, "build", tuple)():
        yield page


def add_pages(
    workspace: PagedWorkspace, features: Iterable[Feature], context: Context
) -> Iterator[None]:
    """Add the pages of features to their workspace, one a step."""
    for feature in features:
        page = feature.page
        assert page is not None
        workspace.add_page(
            page.name,
            translate(page.area, page.title),
            translate(page.area, page.help),
            lambda page=page: _kept(page.build(context), context[SettingsStore]),
        )
        yield


def _kept(steps: Iterator[QWidget], settings: SettingsStore) -> Iterator[QWidget]:
    """Build a page in its steps; the handles between its parts come where the user had them."""
    widget = next(steps)
    yield widget
    yield from steps
    keep_splitters(widget, settings)
