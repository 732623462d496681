"""Feature of the Autograd graph page of Inspect."""

from collections.abc import Iterator

from PySide6.QtWidgets import QWidget

from studio.command.context import Context
from studio.command.feature import Feature, Page
from studio.i18n import QT_TRANSLATE_NOOP
from studio.model.canvas.controller import ModelController
from studio.services import Services
from studio.view.command import inspect_command
from studio.window.paged import in_steps
from widgets.canvas.canvas import Canvas


def _build(context: Context) -> Iterator[QWidget]:
    from studio.inspect.graph.controller import AutogradController
    from studio.inspect.graph.page import GraphPage

    services = context[Services]
    page = GraphPage()
    yield from in_steps(page)
    AutogradController(
        session=services.session,
        page=page,
        runs=services.runs,
        border=services.border,
        messenger=services.messenger,
        go_to=services.window.show_workspace,
        canvas=context[Canvas],
        show_node=context[ModelController].show_node,
        debugging=services.debugging,
    )


FEATURE = Feature(
    page=Page(
        name="graph",
        area="Inspect",
        title=QT_TRANSLATE_NOOP("Inspect", "Autograd graph"),
        help=QT_TRANSLATE_NOOP("Inspect", "The graph of Functions that a training step builds"),
        build=_build,
    ),
    commands=(
        inspect_command(
            "graph",
            QT_TRANSLATE_NOOP("Action", "Autograd graph"),
            words="functions backward grad_fn dag",
        ),
    ),
)
