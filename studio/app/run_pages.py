"""The pages of the Runs workspace: what each is called, and how it is put together."""

from collections.abc import Iterator

from PySide6.QtWidgets import QWidget

from engine.runs.queue import RunQueue
from studio.i18n import translate
from studio.model.comparison.controller import ModelComparisonController
from studio.run_control.machine_gate import MachineGate
from studio.services import Services
from studio.window.paged import PagedWorkspace, in_steps
from studio.window.splitters import keep_splitters


def add_run_pages(
    page: PagedWorkspace, services: Services, models: ModelComparisonController
) -> None:
    """Add the pages to their workspace; each is built when it comes to the front."""
    page.add_page(
        "runs",
        translate("Runs", "Runs"),
        translate("Runs", "The runs of this project: compare, go on, take away"),
        lambda: _runs(services, models),
    )
    page.add_page(
        "search",
        translate("Search", "Search"),
        translate("Search", "Try other settings and find those that are best"),
        lambda: _search(services),
    )
    page.add_page(
        "queue",
        translate("Queue", "Queue"),
        translate("Queue", "Runs that train one after another, or as many as there are devices"),
        lambda: _queue(services),
    )
    page.add_page(
        "projects",
        translate("Projects", "All projects"),
        translate("Projects", "The runs of all recent projects, also those without a window"),
        lambda: _projects(services),
    )


def _runs(services: Services, models: ModelComparisonController) -> Iterator[QWidget]:
    from studio.runs.table.controller import RunsController
    from studio.runs.table.page import RunsWorkspace

    page = RunsWorkspace()
    yield from in_steps(page)
    RunsController(
        session=services.session,
        page=page,
        runs=services.runs,
        host=services.host,
        border=services.border,
        messenger=services.messenger,
        models=models,
        go_to=services.window.show_workspace,
        language=services.code,
    )
    keep_splitters(page, services.settings)


def _search(services: Services) -> Iterator[QWidget]:
    from studio.runs.search.controller import SearchController
    from studio.runs.search.page import SearchPage

    page = SearchPage()
    yield from in_steps(page)
    SearchController(
        session=services.session,
        page=page,
        runs=services.runs,
        trust=services.trust,
        border=services.border,
        messenger=services.messenger,
        go_to=services.window.show_workspace,
        language=services.code,
        gate=MachineGate(services.window, services.messenger),
    )
    keep_splitters(page, services.settings)


def _queue(services: Services) -> Iterator[QWidget]:
    from studio.runs.queue.controller import QueueController
    from studio.runs.queue.page import QueuePage

    page = QueuePage()
    yield from in_steps(page)
    QueueController(
        session=services.session,
        page=page,
        queue=RunQueue(services.settings.folder / "queue"),
        runs=services.runs,
        trust=services.trust,
        border=services.border,
        messenger=services.messenger,
        language=services.code,
    )


def _projects(services: Services) -> Iterator[QWidget]:
    from studio.runs.projects.controller import ProjectsController
    from studio.runs.projects.page import ProjectsPage

    page = ProjectsPage()
    yield from in_steps(page)
    ProjectsController(
        session=services.session,
        settings=services.settings,
        page=page,
        runs=services.runs,
        border=services.border,
        messenger=services.messenger,
        open_project=services.window.dropped.emit,
        go_to=services.window.show_workspace,
    )
