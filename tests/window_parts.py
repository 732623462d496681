"""Parts of the window by short names, as tests reach them."""

from types import SimpleNamespace

from studio.command.actions import ActionSet
from studio.help.controller import HelpController
from studio.model.block.controller import BlockController
from studio.model.canvas.controller import ModelController
from studio.model.comparison.controller import ModelComparisonController
from studio.model.custom_code.controller import CustomCodeController
from studio.model.custom_code.folder import CodeFolderController
from studio.model.importer.controller import ImportController
from studio.model.inspector.controller import PanelController
from studio.model.inspector.dock import Inspector
from studio.model.inspector.initialisation_controller import InitialController
from studio.model.library.controller import LibraryController
from studio.model.palette.dock import Palette
from studio.model.repair.controller import RepairController
from studio.model.weights.controller import WeightsController
from studio.model.workspace.page import ModelWorkspace
from studio.project.project import ProjectController
from studio.project.recent import RecentMenu
from studio.run_control.leaving import LeavingController
from studio.welcome.controller import WelcomeController
from studio.welcome.page import WelcomePage
from widgets.code.code_view import CodeView
from widgets.tables.log_view import LogView

_PARTS = {
    "actions": ActionSet,
    "blocks": BlockController,
    "code": CodeView,
    "greeting": WelcomeController,
    "help": HelpController,
    "initial": InitialController,
    "inspector": Inspector,
    "leaving": LeavingController,
    "library": LibraryController,
    "log": LogView,
    "model": ModelController,
    "model_page": ModelWorkspace,
    "models": ModelComparisonController,
    "palette": Palette,
    "panels": PanelController,
    "project": ProjectController,
    "recent": RecentMenu,
    "repairs": RepairController,
    "welcome": WelcomePage,
}


class Bench:
    """Finds parts of a program, also after a change of language has built others."""

    def __init__(self, studio) -> None:
        self._studio = studio

    def __getattr__(self, name: str):
        return self._studio.context[_PARTS[name]]

    @property
    def own_code(self) -> SimpleNamespace:
        context = self._studio.context
        return SimpleNamespace(
            editor=context[CustomCodeController], folder=context[CodeFolderController]
        )

    @property
    def sources(self) -> SimpleNamespace:
        context = self._studio.context
        return SimpleNamespace(
            importing=context[ImportController], weights=context[WeightsController]
        )

    def update_actions(self) -> None:
        self.actions.update()

    def flush(self) -> None:
        self._studio.context.flush()
