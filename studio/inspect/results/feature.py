"""Feature of the Results page of Inspect."""

from collections.abc import Iterator

from PySide6.QtWidgets import QWidget

from studio.command.context import Context
from studio.command.feature import Feature, Page
from studio.i18n import QT_TRANSLATE_NOOP
from studio.services import Services
from studio.view.command import inspect_command
from studio.window.paged import in_steps


def _build(context: Context) -> Iterator[QWidget]:
    from studio.inspect.results.controller import ResultsController
    from studio.inspect.results.page import ResultsPage

    services = context[Services]
    page = ResultsPage()
    yield from in_steps(page)
    ResultsController(
        session=services.session,
        page=page,
        runs=services.runs,
        host=services.host,
        border=services.border,
        messenger=services.messenger,
        go_to=services.window.show_workspace,
        language=services.code,
    )


FEATURE = Feature(
    page=Page(
        name="results",
        area="Inspect",
        title=QT_TRANSLATE_NOOP("Inspect", "Results"),
        help=QT_TRANSLATE_NOOP(
            "Inspect", "What a trained model does on its data, sample by sample"
        ),
        build=_build,
    ),
    commands=(
        inspect_command(
            "results",
            QT_TRANSLATE_NOOP("Action", "Results"),
            words="confusion matrix roc precision recall residuals worst samples",
        ),
    ),
)
