"""Feature of the Results page of Inspect."""

from collections.abc import Iterator

from PySide6.QtWidgets import QWidget

from studio.command.actions import ActionSet
from studio.command.context import Context
from studio.i18n import QT_TRANSLATE_NOOP
from studio.inspect.page import inspect_page
from studio.services import Services
from studio.window.paged import in_steps


def _build(context: Context) -> Iterator[QWidget]:
    from studio.inspect.results.controller import ResultsController
    from studio.inspect.results.page import ResultsPage

    page = ResultsPage()
    yield from in_steps(page)
    ResultsController(context[Services], page)
    page.predict_requested.connect(lambda: context[ActionSet].trigger("action.run.predict"))


FEATURE = inspect_page(
    "results",
    title=QT_TRANSLATE_NOOP("Inspect", "Results"),
    tip=QT_TRANSLATE_NOOP(
        "Inspect", "Predictions of a trained model on its data, sample by sample"
    ),
    command=QT_TRANSLATE_NOOP("Action", "Results"),
    words="confusion matrix roc precision recall residuals worst samples",
    build=_build,
)
