"""Menu of recent projects: those that were open before and still exist."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu

from studio.i18n import translate
from studio.process.settings import SettingsStore
from widgets.common.text import plain_tip

_BEFORE = "action.file.welcome"


class RecentMenu(QObject):
    """Puts the submenu into the file menu and fills it anew each time the menu opens."""

    def __init__(
        self, menu: QMenu, settings: SettingsStore, open_project: Callable[[Path], object]
    ) -> None:
        super().__init__(menu)
        self._settings = settings
        self._open = open_project
        self.menu = QMenu(translate("Action", "Open recent"), menu)
        self.menu.setObjectName("menu.file.recent")
        self.menu.setToolTipsVisible(True)
        before = next(action for action in menu.actions() if action.objectName() == _BEFORE)
        menu.insertMenu(before, self.menu)
        menu.aboutToShow.connect(self._fill)
        self._fill()

    def _fill(self) -> None:
        self.menu.clear()
        for number, path in enumerate(self._settings.recent_projects()):
            action = QAction(path.name.replace("&", "&&"), self.menu)
            action.setObjectName(f"action.file.recent_{number}")
            action.setToolTip(plain_tip(str(path)))
            action.triggered.connect(lambda _=False, path=path: self._open(path))
            self.menu.addAction(action)
        self.menu.setEnabled(not self.menu.isEmpty())
