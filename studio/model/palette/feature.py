"""Feature of the palette: the dock with the layers that can be put on the canvas."""

from PySide6.QtCore import Qt

from studio.command.context import Context
from studio.command.feature import Dock, Feature
from studio.i18n import QT_TRANSLATE_NOOP
from studio.model.block.controller import BlockController
from studio.model.canvas.controller import ModelController
from studio.model.palette.dock import Palette
from studio.model.palette.presenter import present_palette
from studio.model.workspace.page import ModelWorkspace
from studio.services import Services
from studio.view.command import dock_command
from widgets.common.throttle import SeenThrottle


def _build(context: Context) -> None:
    palette, model, services = context[Palette], context[ModelController], context[Services]

    def fill() -> None:
        palette.set_groups(
            present_palette(model.offered, palette.search_text(), services.language_code())
        )

    palette.search_changed.connect(fill)
    offer = SeenThrottle(0, fill, palette)
    model.offer_changed.connect(offer.request)
    palette.add_requested.connect(context[ModelWorkspace].show_canvas)
    palette.add_requested.connect(model.add_beside)
    palette.remove_requested.connect(context[BlockController].remove)
    context.placed.connect(offer.request)


FEATURE = Feature(
    build=_build,
    docks=(
        Dock(
            name="palette",
            title=QT_TRANSLATE_NOOP("Window", "Palette"),
            area=Qt.DockWidgetArea.LeftDockWidgetArea,
            position=0,
            build=Palette,
        ),
    ),
    commands=(
        dock_command(
            "palette",
            QT_TRANSLATE_NOOP("Action", "Palette"),
            position=0,
            words="layers panel show hide",
        ),
    ),
)
