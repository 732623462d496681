"""Feature of the Results page of Inspect."""

from collections.abc import Iterator
from functools import partial

from PySide6.QtWidgets import QWidget

from studio.command.actions import ActionSet
from studio.command.command import Command
from studio.command.context import Context
from studio.data.samples.feature import SAMPLE_GROUP, list_samples, selected_samples
from studio.i18n import QT_TRANSLATE_NOOP
from studio.inspect.page import inspect_page
from studio.services import Services
from studio.window.main_window import MainWindow
from studio.window.paged import in_steps

_MOST = 100_000  # samples: more of them are looked for by the charts


def _build(context: Context) -> Iterator[QWidget]:
    from studio.inspect.results.controller import ResultsController
    from studio.inspect.results.page import ResultsPage

    page = ResultsPage()
    yield from in_steps(page)
    controller = context.add(ResultsController(context[Services], page))
    controller.sought_in_data.connect(partial(list_samples, context))
    page.predict_requested.connect(lambda: context[ActionSet].trigger("action.run.predict"))


def _show_samples(context: Context) -> None:
    """List the selected samples of the data with what a trained model says about them."""
    from studio.inspect.results.controller import ResultsController

    samples = selected_samples(context)
    context[MainWindow].show_page("inspect", "results")
    context[ResultsController].show_samples(samples)


def _can_show_samples(context: Context) -> bool:
    return 0 < len(selected_samples(context)) <= _MOST


FEATURE = inspect_page(
    "results",
    title=QT_TRANSLATE_NOOP("Inspect", "Results"),
    tip=QT_TRANSLATE_NOOP(
        "Inspect", "Predictions of a trained model on its data, sample by sample"
    ),
    command=QT_TRANSLATE_NOOP("Action", "Results"),
    words="confusion matrix roc precision recall residuals worst samples",
    build=_build,
    more=(
        Command(
            id="action.data.results",
            title=QT_TRANSLATE_NOOP("Action", "Show samples in Results"),
            keys=("Ctrl+Shift+J",),
            words="predictions loss selected samples evaluate model",
            group=SAMPLE_GROUP,
            run=_show_samples,
            is_enabled=_can_show_samples,
        ),
    ),
)
