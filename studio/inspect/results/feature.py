"""Results page as a feature: what it is called, and how it is put together."""

from collections.abc import Iterator

from PySide6.QtWidgets import QWidget

from studio.i18n import QT_TRANSLATE_NOOP
from studio.inspect.feature import InspectFeature, PageContext
from studio.window.paged import in_steps


def build(context: PageContext) -> Iterator[QWidget]:
    """Build the page in short steps, and its controller with it."""
    from studio.inspect.results.controller import ResultsController
    from studio.inspect.results.page import ResultsPage

    services = context.services
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


FEATURE = InspectFeature(
    name="results",
    title=QT_TRANSLATE_NOOP("Inspect", "Results"),
    help=QT_TRANSLATE_NOOP("Inspect", "What a trained model does on its data, sample by sample"),
    build=build,
)
