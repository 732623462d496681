"""Feature of the Pipeline page of the Data workspace."""

from collections.abc import Iterator

from PySide6.QtWidgets import QWidget

from studio.command.context import Context
from studio.data.loading.feature import show_loading
from studio.data.page import data_page
from studio.i18n import QT_TRANSLATE_NOOP
from studio.services import Services
from studio.view.problem import ProblemLinks
from studio.window.paged import in_steps


def _build(context: Context) -> Iterator[QWidget]:
    from studio.data.pipeline.controller import PipelineController
    from studio.data.pipeline.page import PipelinePage

    page = PipelinePage()
    yield from in_steps(page)
    PipelineController(
        context[Services],
        page,
        show_setting=context[ProblemLinks].setting,
        suggest_workers=lambda: show_loading(context),
    )


FEATURE = data_page(
    "pipeline",
    title=QT_TRANSLATE_NOOP("Data", "Pipeline"),
    tip=QT_TRANSLATE_NOOP("Data", "The way from the files to the model, with the shapes on it"),
    command=QT_TRANSLATE_NOOP("Action", "Pipeline of the data"),
    words="dataloader sampler fetcher collate workers prefetch pin_memory batch shape diagram flow",
    build=_build,
)
