"""Main window: workspaces along the top, docks around, status below. It places; it does nothing."""

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from PySide6.QtCore import QEvent, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import (
    QButtonGroup,
    QDockWidget,
    QMainWindow,
    QMenu,
    QSizePolicy,
    QTabBar,
    QTabWidget,
    QToolBar,
    QToolButton,
    QWidget,
)
from typing_extensions import override

from studio.command.actions import ActionSet
from studio.command.context import Context
from studio.command.feature import Dock, Page
from studio.i18n import translate
from studio.window.banner import BannerBar, BannerView
from studio.window.dock_frame import DockFrame
from studio.window.focus_guard import FocusGuard
from studio.window.given_path import Given, given
from studio.window.paged import PagedWorkspace
from studio.window.status_bar import StatusBar
from widgets.common import parts
from widgets.common.drop import accept_copy, local_paths
from widgets.common.icons import set_icon
from widgets.common.page_stack import PageStack
from widgets.common.tab_walk import is_reachable, tab_stops, take_keys

WELCOME = "welcome"


@dataclass(frozen=True, kw_only=True)
class Contents:
    """All that the frame places. It is built anew when the language changes."""

    welcome: QWidget
    workspaces: Sequence[Page]
    docks: Sequence[tuple[Dock, QWidget]]
    actions: ActionSet
    context: Context  # what pages are built with
    tool_actions: Sequence[tuple[str, str]] = ()  # command id, icon
    flipped_docks: Mapping[str, Sequence[str]] = field(default_factory=dict)


class MainWindow(QMainWindow):
    """The one window. Closing is a request: who owns the work decides and calls :meth:`leave`."""

    close_requested = Signal()
    workspace_changed = Signal(str)
    page_turned = Signal()
    docks_changed = Signal()
    dropped = Signal(object)  # Path
    data_dropped = Signal(object)  # Path
    model_dropped = Signal(object)  # Path of a file that can be imported
    weights_dropped = Signal(object)  # Path of a file of weights
    tensors_dropped = Signal(object)  # Path of a file of weights or of arrays to train on
    system_theme_changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("mainWindow")
        self.setAccessibleName("Trellis")
        self.setWindowTitle("Trellis")
        self.setDockNestingEnabled(True)
        self.setAcceptDrops(True)
        self.resize(1440, 900)
        self._may_close = False
        self._workspace = WELCOME
        self._flipped: dict[str, set[str]] = {}  # by workspace: docks against their default
        self._docks: dict[str, tuple[Dock, DockFrame]] = {}
        self._guard = FocusGuard(self, self._home)
        self._group: QButtonGroup | None = None
        self._buttons: dict[str, QToolButton] = {}
        self._pages: dict[str, QWidget] = {}
        self._unfinished: dict[str, Iterator[QWidget]] = {}
        self._bar: QToolBar | None = None
        self._menus: dict[str, QMenu] = {}
        self._is_arranging = False

    @property
    def workspace(self) -> str:
        """The name of the workspace that is shown; ``welcome`` while there is none."""
        return self._workspace

    def fit_to_screen(self) -> None:
        """Fill the screen where it is too small for the usual size; without a window manager, who
        would maximise the window, too.
        """
        room = self.screen().availableGeometry()
        if room.width() <= self.width() or room.height() <= self.height():
            self.setGeometry(room)
            self.setWindowState(Qt.WindowState.WindowMaximized)

    def place(self, contents: Contents) -> None:
        """Show contents in place of those before, with docks as large as those had them."""
        sizes = self._dock_sizes()
        self._is_arranging = True
        self._clear()
        self._flipped = {key: set(docks) for key, docks in contents.flipped_docks.items()}
        self._place_bar(contents)
        self._place_center(contents)
        for dock, widget in contents.docks:
            self._place_dock(dock, widget)
        self._tabify()
        self.setStatusBar(StatusBar(self))
        self._is_arranging = False
        self.show_workspace(self._workspace)
        if sizes:  # when all is laid out: before, what is missing leaves its room to others
            QTimer.singleShot(0, self, lambda: self._resize_docks(sizes))

    def _dock_sizes(self) -> dict[str, int]:
        """Return how wide the docks at the sides are, and how high those in front below, with the
        row of their tabs.
        """
        direct = Qt.FindChildOption.FindDirectChildrenOnly
        bars = self.findChildren(QTabBar, options=direct)
        tabs = max((bar.height() for bar in bars if bar.isVisible()), default=0)
        return {
            name: dock.height() + tabs if self._is_below(dock) else dock.width()
            for name, (_, dock) in self._docks.items()
            if not dock.visibleRegion().isEmpty()
        }

    def _resize_docks(self, sizes: Mapping[str, int]) -> None:
        """Give docks the sizes that they had."""
        for name, size in sizes.items():
            _, dock = self._docks[name]
            is_below = self._is_below(dock)
            way = Qt.Orientation.Vertical if is_below else Qt.Orientation.Horizontal
            self.resizeDocks([dock], [size], way)

    def _is_below(self, dock: QDockWidget) -> bool:
        return self.dockWidgetArea(dock) is Qt.DockWidgetArea.BottomDockWidgetArea

    @property
    def status(self) -> StatusBar:
        """The status bar of the contents that are shown."""
        bar = self.statusBar()
        assert isinstance(bar, StatusBar)
        return bar

    @property
    def banner(self) -> BannerBar:
        """The place for banners of the contents that are shown."""
        return self._banner

    def say(self, text: str) -> None:
        """Say something in the status bar."""
        self.status.say(text)

    def show_banner(self, view: BannerView) -> None:
        """Show a line across the contents that are shown."""
        self._banner.show_banner(view)

    def dismiss_banner(self, key: str) -> None:
        """Take a line off that does not hold any more."""
        self._banner.dismiss(key)

    def menu(self, name: str) -> QMenu:
        """Return a menu of the contents that are shown."""
        return self._menus[name]

    def show_workspace(self, name: str) -> None:
        """Go to a workspace (or to ``welcome``)."""
        is_new = name != self._workspace
        self._workspace = name
        self._hide_docks()  # before the page: with both the window could grow
        self._stack.setCurrentWidget(self.page(name))
        if self._group is not None:
            self._group.setExclusive(name in self._buttons)  # the welcome page has no button
        for key, button in self._buttons.items():
            button.setChecked(key == name)
        self._arrange_docks()
        self.focus_page()
        if is_new:
            self.workspace_changed.emit(name)

    def show_page(self, workspace: str, name: str) -> None:
        """Go to a page of a workspace that has several."""
        self.show_workspace(workspace)
        page = self.page(workspace)
        assert isinstance(page, PagedWorkspace)
        page.show_page(name)

    def focus_page(self) -> None:
        """Give the keys to the page of the workspace that is shown."""
        take_keys(self.page(self._workspace))

    def _home(self, gone: QDockWidget | None) -> QWidget:
        """Return what takes the keys of a dock that is not to be seen any more, or of anything that
        was outside of docks and pages: the dock that is in front of it, else the page.
        """
        covering = self.tabifiedDockWidgets(gone) if gone is not None and gone.isVisible() else ()
        for dock in covering:
            if is_reachable(dock) and (stops := tab_stops(dock)):
                return stops[0]
        return self.page(self._workspace) if self._pages else self

    @property
    def front(self) -> str:
        """The name of what is in front: a page of a workspace that has several, or a workspace."""
        page = self._pages.get(self._workspace)
        name = page.page if isinstance(page, PagedWorkspace) else ""
        return name or self._workspace

    def page(self, name: str) -> QWidget:
        """Return the page of a workspace, whole: what is missing of it is built now."""
        while name in self._unfinished:
            self._build_step(name)
        return self._pages[name]

    def build_pages(self, seconds: float) -> bool:
        """Go on building pages that nobody has looked at yet, for about so long; return whether
        something is left.
        """
        end = time.perf_counter() + seconds
        while self._unfinished:
            self._build_step(next(iter(self._unfinished)))
            if time.perf_counter() >= end:
                break
        return bool(self._unfinished)

    def _build_step(self, name: str) -> None:
        page = next(self._unfinished[name], None)
        if page is None:
            del self._unfinished[name]
        elif name not in self._pages:
            self._pages[name] = page
            self._stack.addWidget(page)
            if isinstance(page, PagedWorkspace):
                page.tabs.currentChanged.connect(self.page_turned)

    def set_workspaces_enabled(self, *, enabled: bool) -> None:
        """Make the workspaces reachable, or only the welcome page."""
        for button in self._buttons.values():
            button.setEnabled(enabled)

    def is_dock_shown(self, name: str) -> bool:
        """Return whether a dock is to be seen in the workspace that is shown."""
        if self._workspace == WELCOME or name not in self._docks:
            return False
        is_usual = self._workspace in self._docks[name][0].workspaces
        return is_usual != (name in self._flipped.get(self._workspace, ()))

    def flipped_docks(self) -> dict[str, tuple[str, ...]]:
        """Return, by workspace, the docks that the user opened or closed against the usual."""
        return {key: tuple(sorted(docks)) for key, docks in self._flipped.items() if docks}

    def toggle_dock(self, name: str) -> None:
        """Show a dock in this workspace, or hide it when it is shown."""
        if self._workspace == WELCOME:
            return
        self._flipped.setdefault(self._workspace, set())
        self._flipped[self._workspace] ^= {name}
        self._arrange_docks()
        self.docks_changed.emit()
        if self.is_dock_shown(name):
            self._docks[name][1].raise_()

    def show_dock(self, name: str) -> None:
        """Show a dock in front."""
        if not self.is_dock_shown(name):
            self.toggle_dock(name)
        self._docks[name][1].raise_()

    def leave(self) -> None:
        """Close without asking again."""
        self._may_close = True
        self.close()

    def apply_layout(self, state: bytes, geometry: bytes) -> None:
        """Put docks and window where they were; only bytes that were kept whole may come here."""
        self._is_arranging = True
        self.restoreGeometry(geometry)
        self.restoreState(state)
        self._is_arranging = False
        self._arrange_docks()

    def reset_layout(self) -> None:
        """Put all docks where they were at first."""
        self._flipped.clear()
        for dock, frame in self._docks.values():
            frame.setFloating(False)
            self.addDockWidget(dock.area, frame)
        self._tabify()
        self._arrange_docks()
        self.docks_changed.emit()

    def _clear(self) -> None:
        self.menuBar().clear()
        for _, dock in self._docks.values():
            self.removeDockWidget(dock)
            dock.deleteLater()
        self._docks.clear()
        self._buttons.clear()
        self._group = None
        self._pages.clear()
        self._unfinished.clear()
        if self._bar is not None:
            self.removeToolBar(self._bar)
            self._bar.deleteLater()
        if (center := self.takeCentralWidget()) is not None:
            center.deleteLater()

    def _place_bar(self, contents: Contents) -> None:
        self._menus = contents.actions.fill(self.menuBar())
        self.menuBar().setObjectName("menus")
        self.menuBar().setAccessibleName(translate("Window", "Menus"))
        bar = parts.named(
            QToolBar(translate("Window", "Workspaces"), self),
            "workspaces",
            translate("Window", "Workspaces"),
        )
        bar.setMovable(False)
        bar.setIconSize(QSize(18, 18))
        bar.toggleViewAction().setVisible(False)
        self._group = group = QButtonGroup(bar)
        for workspace in contents.workspaces:
            title = translate(workspace.area, workspace.title)
            button = parts.tool_button(
                bar,
                f"workspace.{workspace.name}",
                title,
                icon=workspace.name,
                role="text",
                tip=translate(workspace.area, workspace.help),
                clicked=lambda _=False, name=workspace.name: self.show_workspace(name),
            )
            button.setText(title)
            button.setCheckable(True)
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
            group.addButton(button)
            bar.addWidget(button)
            self._buttons[workspace.name] = button
        stretch = QWidget(bar)
        stretch.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        bar.addWidget(stretch)
        for command_id, name in contents.tool_actions:
            action = contents.actions.action(command_id)
            set_icon(action, name)
            button = parts.tool_button(bar, command_id.replace("action.", "tool."), action.text())
            button.setDefaultAction(action)
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            bar.addWidget(button)
        self.addToolBar(bar)
        self._bar = bar

    def _place_center(self, contents: Contents) -> None:
        center = parts.named(QWidget(self), "center", translate("Window", "Work area"))
        column = parts.column(margins=(0, 0, 0, 0), spacing=0, parent=center)
        self._banner = BannerBar(center)
        column.addWidget(self._banner)
        self._stack = parts.named(PageStack(center), "pages", translate("Window", "Work area"))
        column.addWidget(self._stack, 1)
        self._pages = {WELCOME: contents.welcome}
        self._unfinished = {
            workspace.name: workspace.build(contents.context) for workspace in contents.workspaces
        }
        self._stack.addWidget(contents.welcome)
        self.setCentralWidget(center)

    def _place_dock(self, dock: Dock, widget: QWidget) -> None:
        frame = DockFrame(dock.name, translate("Window", dock.title), self, self._guard)
        frame.setWidget(widget)
        frame.left.connect(self.focus_page)
        if dock.area is Qt.DockWidgetArea.BottomDockWidgetArea:
            frame.hide_title()
        frame.installEventFilter(self)
        self.addDockWidget(dock.area, frame)
        self._docks[dock.name] = (dock, frame)

    def _tabify(self) -> None:
        by_area: dict[Qt.DockWidgetArea, list[QDockWidget]] = {}
        for dock, frame in self._docks.values():
            by_area.setdefault(dock.area, []).append(frame)
        for frames in by_area.values():
            for other in frames[1:]:
                self.tabifyDockWidget(frames[0], other)
            frames[0].raise_()
        self.setCorner(Qt.Corner.BottomLeftCorner, Qt.DockWidgetArea.LeftDockWidgetArea)
        self.setCorner(Qt.Corner.BottomRightCorner, Qt.DockWidgetArea.RightDockWidgetArea)
        self.setTabPosition(Qt.DockWidgetArea.AllDockWidgetAreas, QTabWidget.TabPosition.North)
        sizes: Mapping[Qt.DockWidgetArea, tuple[int, Qt.Orientation]] = {
            Qt.DockWidgetArea.LeftDockWidgetArea: (232, Qt.Orientation.Horizontal),
            Qt.DockWidgetArea.RightDockWidgetArea: (330, Qt.Orientation.Horizontal),
            Qt.DockWidgetArea.BottomDockWidgetArea: (170, Qt.Orientation.Vertical),
        }
        for area, frames in by_area.items():
            size, orientation = sizes[area]
            self.resizeDocks([frames[0]], [size], orientation)

    def _hide_docks(self) -> None:
        self._is_arranging = True
        for dock, frame in self._docks.values():
            if not self.is_dock_shown(dock.name):
                frame.hide()
        self._is_arranging = False

    def _arrange_docks(self) -> None:
        self._is_arranging = True
        for dock, frame in self._docks.values():
            frame.setVisible(self.is_dock_shown(dock.name))
        self._is_arranging = False

    @override
    def eventFilter(self, watched: object, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Close and not self._is_arranging:
            for name, (_, frame) in self._docks.items():
                if frame is watched and self.is_dock_shown(name):
                    self.toggle_dock(name)
        return super().eventFilter(watched, event)  # type: ignore[arg-type]

    @override
    def focusNextPrevChild(self, next: bool) -> bool:
        return self._guard.walk(self, forward=next)

    @override
    def closeEvent(self, event: QCloseEvent) -> None:
        if self._may_close:
            event.accept()
            return
        event.ignore()
        self.close_requested.emit()

    @override
    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.ThemeChange:
            self.system_theme_changed.emit()
        super().changeEvent(event)

    @override
    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if given(local_paths(event)) is not None:
            accept_copy(event)

    @override
    def dropEvent(self, event: QDropEvent) -> None:
        dropped = given(local_paths(event))
        if dropped is not None:
            accept_copy(event)
            self.take(dropped)

    def take(self, found: Given) -> None:
        """Tell what was dropped, or given with the start of the program."""
        match found.kind:
            case "project":
                self.dropped.emit(found.path)
            case "model":
                self.model_dropped.emit(found.path)
            case "weights":
                self.weights_dropped.emit(found.path)
            case "tensors":
                self.tensors_dropped.emit(found.path)
            case "data":
                self.data_dropped.emit(found.path)
