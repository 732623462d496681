"""Feature of the Map page of the Data workspace."""

from collections.abc import Iterator
from functools import partial

from PySide6.QtWidgets import QWidget

from studio.command.context import Context
from studio.data.page import data_page
from studio.data.samples.feature import list_samples
from studio.i18n import QT_TRANSLATE_NOOP
from studio.services import Services
from studio.window.paged import in_steps


def _build(context: Context) -> Iterator[QWidget]:
    from studio.data.map.controller import MapController
    from studio.data.map.page import MapPage
    from studio.data.map.state import Predictions
    from studio.data.samples.controller import SamplesController
    from studio.data.samples.predicting import SamplePredicting

    def predictions() -> Predictions:
        try:
            listed = context[SamplesController].predictions
            return Predictions(listed=listed, parts_of=context[SamplePredicting].parts_of)
        except LookupError:
            return Predictions()  # the page is not built yet: nothing is predicted

    page = MapPage()
    yield from in_steps(page)
    MapController(
        context[Services],
        page,
        show_samples=partial(list_samples, context),
        predictions=predictions,
    )


FEATURE = data_page(
    "map",
    title=QT_TRANSLATE_NOOP("Data", "Map"),
    tip=QT_TRANSLATE_NOOP("Data", "All samples as points: what is alike lies together"),
    command=QT_TRANSLATE_NOOP("Action", "Map of the samples"),
    words="embedding pca t-sne projection scatter lasso cluster outlier label noise",
    build=_build,
)
