"""The welcome page: what it offers and what happens then."""

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtGui import QPixmap

from engine.diagnostics import DiagnosticError
from engine.graph.model import Graph
from engine.graph.templates import TemplateInfo, templates
from engine.project import Project
from studio.i18n import translate
from studio.welcome.page import PICTURE, CardView, RecentView
from studio.welcome.thumbnail import thumbnail
from widgets.common.theme import theme_signals

if TYPE_CHECKING:
    from studio.workbench import Workbench


class WelcomeController(QObject):
    """Glue between the welcome page and the projects."""

    def __init__(self, bench: "Workbench") -> None:
        super().__init__(bench)
        self._bench = bench
        self._graphs: dict[str, Graph] = {}
        page = bench.welcome
        page.template_chosen.connect(self._on_template_chosen)
        page.recent_chosen.connect(self._on_recent_chosen)
        page.open_requested.connect(lambda: bench.leaving.leave_then(bench.project.ask_open))
        page.new_requested.connect(lambda: bench.leaving.leave_then(bench.help.ask_new))
        page.tour_requested.connect(bench.help.start_tour)
        bench.services.session.project_changed.connect(self.show_recent)
        theme_signals().changed.connect(self._on_theme_changed)
        self._infos = templates()
        page.set_templates([self._card(info) for info in self._infos])
        self.show_recent()

    def show_recent(self) -> None:
        """Show the projects that were open before and are still there."""
        views = [
            RecentView(path=path, name=path.name, place=_short_place(path.parent))
            for path in self._bench.services.settings.recent_projects()[:8]
        ]
        self._bench.welcome.set_recent(views)

    def _card(self, info: TemplateInfo) -> CardView:
        language = self._bench.services.code()
        tasks = {
            "classification": translate("Welcome", "Classification"),
            "binary": translate("Welcome", "Two classes"),
            "regression": translate("Welcome", "Regression"),
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
            note=f"{tasks[info.task]} · {minutes}",
            picture=self._picture(info),
        )

    def _picture(self, info: TemplateInfo) -> QPixmap:
        if info.name not in self._graphs:
            try:
                self._graphs[info.name] = Project.open(info.path).graph
            except DiagnosticError as error:
                self._bench.services.messenger.report(error.problems)
                self._graphs[info.name] = Graph()
        ratio = self._bench.welcome.devicePixelRatioF()
        return thumbnail(self._graphs[info.name], PICTURE, ratio)

    def _on_theme_changed(self) -> None:
        self._bench.welcome.set_pictures([self._picture(info) for info in self._infos])

    def _on_template_chosen(self, name: str) -> None:
        self._bench.leaving.leave_then(lambda: self._bench.project.create_from_template(name))

    def _on_recent_chosen(self, path: Path) -> None:
        project = self._bench.services.session.project
        if project is not None and project.path == path:
            self._bench.services.window.show_workspace("model")
            return
        self._bench.leaving.leave_then(lambda: self._bench.project.open(path))


def _short_place(folder: Path) -> str:
    try:
        return f"~/{folder.relative_to(Path.home())}"
    except ValueError:
        return str(folder)
