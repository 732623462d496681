"""Feature of the Health page of the Data workspace."""

from collections.abc import Iterator

from PySide6.QtWidgets import QWidget

from studio.command.actions import ActionSet
from studio.command.context import Context
from studio.data.page import data_page
from studio.i18n import QT_TRANSLATE_NOOP
from studio.services import Services
from studio.view.problem import ProblemLinks
from studio.window.paged import in_steps


def _build(context: Context) -> Iterator[QWidget]:
    from studio.data.health.controller import HealthController
    from studio.data.health.page import HealthPage

    page = HealthPage()
    yield from in_steps(page)
    HealthController(
        context[Services],
        page,
        show_problem=context[ProblemLinks].show,
        cross_validate=lambda: context[ActionSet].trigger("action.run.folds"),
    )


FEATURE = data_page(
    "health",
    title=QT_TRANSLATE_NOOP("Data", "Health"),
    tip=QT_TRANSLATE_NOOP(
        "Data", "Look for duplicates, leakage, wrong labels, damaged files and odd values"
    ),
    command=QT_TRANSLATE_NOOP("Action", "Health of the data"),
    words="duplicates leakage label errors confident learning damaged outliers imbalance clean",
    build=_build,
)
