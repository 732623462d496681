"""Autograd graph page as a feature: what it is called, and how it is put together."""

from collections.abc import Iterator

from PySide6.QtWidgets import QWidget

from studio.i18n import QT_TRANSLATE_NOOP
from studio.inspect.feature import InspectFeature, PageContext
from studio.window.paged import in_steps


def build(context: PageContext) -> Iterator[QWidget]:
    """Build the page in short steps, and its controller with it."""
    from studio.inspect.graph.controller import AutogradController
    from studio.inspect.graph.page import GraphPage

    services = context.services
    page = GraphPage()
    yield from in_steps(page)
    AutogradController(
        session=services.session,
        page=page,
        runs=services.runs,
        border=services.border,
        messenger=services.messenger,
        go_to=services.window.show_workspace,
        canvas=context.canvas,
        show_node=context.show_node,
        debugging=services.debugging,
    )


FEATURE = InspectFeature(
    name="graph",
    title=QT_TRANSLATE_NOOP("Inspect", "Autograd graph"),
    help=QT_TRANSLATE_NOOP("Inspect", "The graph of Functions that a training step builds"),
    build=build,
)
