"""Controller of the welcome page."""

from functools import partial
from itertools import groupby
from pathlib import Path

from PySide6.QtCore import QEvent, QTimer
from PySide6.QtGui import QPixmap
from PySide6.QtWidgets import QApplication

from engine.diagnostics import DiagnosticError
from engine.graph.model import Graph
from engine.graph.templates import TemplateInfo, templates
from engine.project import Project
from studio.help.controller import HelpController
from studio.i18n import translate
from studio.model.importer.controller import ImportController
from studio.project.project import ProjectController
from studio.run_control.leaving import LeavingController
from studio.services import Controller, Services
from studio.view.template import group_title
from studio.welcome.gallery import PICTURE, CardView, GroupView
from studio.welcome.page import RecentView, WelcomePage
from studio.welcome.thumbnail import thumbnail
from widgets.common.theme import theme_signals
from widgets.common.throttle import SeenThrottle

_TOUR = "digits-cnn"


class WelcomeController(Controller):
    """Glue between the welcome page and the projects."""

    def __init__(
        self,
        services: Services,
        page: WelcomePage,
        *,
        project: ProjectController,
        leaving: LeavingController,
        help_controller: HelpController,
        importing: ImportController,
    ) -> None:
        super().__init__(services, page)
        self._settings = services.settings
        self._page = page
        self._project = project
        self._leaving = leaving
        self._help = help_controller
        self._graphs: dict[str, Graph] = {}
        page.template_chosen.connect(self._on_template_chosen)
        page.recent_chosen.connect(self.open_recent)
        page.open_requested.connect(lambda: leaving.leave_then(project.ask_open))
        page.new_requested.connect(lambda: leaving.leave_then(help_controller.ask_new))
        page.import_requested.connect(importing.ask)
        page.fine_tune_requested.connect(importing.ask_to_fine_tune)
        page.tour_requested.connect(self._on_tour_requested)
        self._recent = SeenThrottle(50, self.show_recent, page)  # looks at the disk
        self._session.project_changed.connect(self._recent.request)
        theme_signals().changed.connect(self._on_theme_changed)
        self._infos = templates()
        self._is_filled = False
        page.shown.connect(lambda: QTimer.singleShot(0, self, self._fill))

    def _fill(self) -> None:
        """Put cards and projects on the page at the first look at it: who comes with a project has
        left it before it is painted, and the cards take a while.
        """
        if not self._is_filled and self._page.isVisible():
            self._is_filled = True
            self._page.gallery.set_groups(self._groups())
            self.show_recent()
            for kind in (QEvent.Type.MetaCall, QEvent.Type.LayoutRequest):
                QApplication.sendPostedEvents(None, kind)  # in place before they are painted

    def show_recent(self) -> None:
        """Show the projects that were open before and are still there."""
        views = [
            RecentView(path=path, name=path.name, place=_short_place(path.parent))
            for path in self._settings.recent_projects()[:8]
        ]
        self._page.set_recent(views)

    def open_recent(self, path: Path) -> None:
        """Open a project that was open before, or go back to it where it is open."""
        project = self._session.project
        if project is not None and project.path == path:
            self._window.show_workspace("model")
            return
        self._leaving.leave_then(lambda: self._project.open(path))

    def _groups(self) -> list[GroupView]:
        return [
            GroupView(
                name=group,
                title=group_title(group),
                cards=tuple(self._card(info, group_title(group)) for info in infos),
            )
            for group, infos in groupby(self._infos, key=lambda info: info.group)
        ]

    def _card(self, info: TemplateInfo, group: str) -> CardView:
        language = self._language()
        tasks = {
            "classification": translate("Welcome", "Classification"),
            "binary": translate("Welcome", "Two classes"),
            "regression": translate("Welcome", "Regression"),
            "segmentation": translate("Welcome", "Segmentation"),
            "detection": translate("Welcome", "Object detection"),
            "image to image": translate("Welcome", "Image to image"),
            "generation": translate("Welcome", "Generation"),
            "sequence to sequence": translate("Welcome", "Sequence to sequence"),
            "language model": translate("Welcome", "Language model"),
            "none": translate("Welcome", "Model only"),
        }
        minutes = (
            translate("Welcome", "trains in under a minute")
            if info.minutes < 1
            else translate("Welcome", "trains in about {minutes} min").format(
                minutes=f"{info.minutes:.0f}"
            )
        )
        return CardView(
            name=info.name,
            title=info.title_in(language),
            text=info.description_in(language),
            note=f"{tasks[info.task]} · {minutes}\n{info.data_in(language)}",
            picture=partial(self._picture, info),
            words=" ".join((group, info.name, *info.title.values())),
        )

    def _picture(self, info: TemplateInfo) -> QPixmap:
        if info.name not in self._graphs:
            try:
                self._graphs[info.name] = Project.open(info.path).graph
            except DiagnosticError as error:
                self._notifications.report(error.problems)
                self._graphs[info.name] = Graph()
        ratio = self._page.devicePixelRatioF()
        return thumbnail(self._graphs[info.name], PICTURE, ratio)

    def _on_theme_changed(self) -> None:
        self._page.gallery.forget_pictures()

    def _on_template_chosen(self, name: str) -> None:
        self._leaving.leave_then(lambda: self._project.create_from_template(name))

    def _on_tour_requested(self) -> None:
        """Lead through the window with a model in it: the one that is open, the last one, or an
        example.
        """
        recent = self._settings.recent_projects()
        if self._session.project is not None:
            self._window.show_workspace("model")
        elif not (recent and self._project.open(recent[0])):
            self._project.create_from_template(_TOUR)
        QTimer.singleShot(0, self, self._help.start_tour)  # when docks have their places


def _short_place(folder: Path) -> str:
    try:
        return f"~/{folder.relative_to(Path.home())}"
    except ValueError:
        return str(folder)
