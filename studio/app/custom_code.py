"""Puts together what the window has for the user's own code: editor, folder, trust."""

from collections.abc import Callable

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QMenu

from engine.graph.code import MODEL_FILE, TEXT_FILES
from studio.command.actions import ActionSet
from studio.model.custom_code.controller import OwnCodeController
from studio.model.custom_code.folder import CodeFolderController
from studio.model.custom_code.snippet import snippet_titles
from studio.model.custom_code.trust import TrustController
from studio.model.gradient.controller import GradientController
from studio.model.inspector.dock import Inspector
from studio.model.workspace.page import ModelWorkspace
from studio.project.project import ProjectController
from studio.services import Services
from studio.window.banner import NoticeView

_MENU = ("gradients", "rename", "remove", "outside", "trust", "withdraw")


class OwnCode(QObject):
    """The controllers of own code; ``begin`` is called when the window stands."""

    def __init__(
        self,
        services: Services,
        place: ModelWorkspace,
        inspector: Inspector,
        *,
        project: ProjectController,
        update_actions: Callable[[], object],
        take_text: Callable[[str, str, bool], bool],
        rewrite_text: Callable[[], object],
    ) -> None:
        super().__init__(services.window)
        self._services = services
        self._place = place
        self._actions: ActionSet | None = None
        self._take_text = take_text
        self._rewrite_text = rewrite_text
        place.keep_shares(services.settings)
        window = services.window
        self.editor = OwnCodeController(
            session=services.session,
            place=place,
            messenger=services.messenger,
            language=services.code,
            show_model=lambda: window.show_workspace("model"),
            fill_menu=self._fill_menu,
        )
        self.folder = self._build_folder(project)
        self.trust = TrustController(
            session=services.session,
            trust=services.trust,
            window=window,
            messenger=services.messenger,
            look=self._look,
            ask_again=services.analyst.ask_again,
            update_actions=update_actions,
        )
        self.gradient = GradientController(
            session=services.session,
            panel=inspector.own,
            canvas=place.canvas,
            host=services.host,
            border=services.border,
            language=services.code,
            open_code=self.editor.show_definition,
        )
        project.code_differed.connect(self.folder.ask_again)
        place.own_code.file_shown.connect(update_actions)

    def _build_folder(self, project: ProjectController) -> CodeFolderController:
        services = self._services
        return CodeFolderController(
            session=services.session,
            settings=services.settings,
            trust=services.trust,
            messenger=services.messenger,
            notify=self._notify,
            dismiss=self._dismiss,
            save=project.save,
            take_text=self._take_text,
            parent=self,
        )

    def begin(self, actions: ActionSet) -> None:
        """Take over the commands; show how things stand."""
        self._actions = actions
        self.trust.begin()
        self.folder.look()

    def dispose(self) -> None:
        """Let go of the session."""
        for controller in (self.editor, self.folder, self.trust, self.gradient, self):
            controller.deleteLater()

    def callbacks(self) -> dict[str, Callable[[], object]]:
        """Return what the commands of the Code menu do, by their verb."""
        editor = self.editor
        return {
            "show": editor.toggle,
            "wide": editor.toggle_wide,
            "definition": lambda: editor.show_definition(self.gradient.chosen_type()),
            "gradients": self._check_gradients,
            "rename": editor.begin_rename,
            "remove": editor.remove,
            "outside": self._open_outside,
            "rewrite": self._rewrite_text,
            "trust": self.trust.ask,
            "withdraw": self.trust.withdraw,
            **{f"new_{name}": lambda name=name: editor.new(name) for name in snippet_titles()},
        }

    def states(self) -> dict[str, bool]:
        """Return what decides which commands can be given, as fields of the action state."""
        session = self._services.session
        return {
            "has_own_file": bool(self.editor.current_file),
            "has_code": bool(session.graph.code),
            "is_restricted": self.trust.is_restricted,
            "has_own_text": bool(session.graph.code.keys() & set(TEXT_FILES)),
            "is_own": bool(self.gradient.chosen_type()),
        }

    def checked(self) -> frozenset[str]:
        """Return the commands that stand for something that is switched on."""
        shown = {"action.code.show"} if self.editor.is_shown else set[str]()
        return frozenset(shown | ({"action.code.wide"} if self._place.is_wide else set()))

    def _look(self) -> None:
        """Show the files; where there is only the text of the model itself, where that stands."""
        code = self._services.session.graph.code
        if set(code) == {MODEL_FILE}:
            self._services.window.show_workspace("model")
            self._services.window.show_dock("code")
        else:
            self.editor.show()

    def _notify(self, view: NoticeView) -> None:
        self._services.window.notice.show_notice(view)

    def _dismiss(self, key: str) -> None:
        self._services.window.notice.dismiss(key)

    def _check_gradients(self) -> None:
        self._services.window.show_dock("inspector")
        self.gradient.check()

    def _open_outside(self) -> None:
        page = self._place.own_code
        editor = page.editor()
        self.folder.open_outside(page.current_file(), editor.place()[0] if editor else 1)

    def _fill_menu(self, menu: QMenu) -> None:
        assert self._actions is not None
        for verb in _MENU:
            action = self._actions.action(f"action.code.{verb}")
            if action.isEnabled():
                menu.addAction(action)
