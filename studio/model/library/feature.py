"""Feature of the library: the user's blocks for all projects."""

from studio.command.command import Command
from studio.command.context import Context
from studio.command.feature import Feature
from studio.i18n import QT_TRANSLATE_NOOP
from studio.model.block.controller import BlockController
from studio.model.canvas.controller import ModelController
from studio.model.library.controller import LibraryController
from studio.model.menu import BLOCKS
from studio.services import Services
from studio.session.session import Session
from studio.view.rule import is_model


def _build(context: Context) -> None:
    services = context[Services]
    context.add(
        LibraryController(services, context[ModelController], blocks=context[BlockController])
    )


def _can_keep(context: Context) -> bool:
    has_block = bool(context[Session].path) or context[BlockController].selected_use() is not None
    return is_model(context) and has_block


FEATURE = Feature(
    build=_build,
    commands=(
        Command(
            id="action.model.keep",
            title=QT_TRANSLATE_NOOP("Action", "Save block to library"),
            words="keep store reuse other projects user palette",
            group=1,
            position=2,
            submenu=BLOCKS,
            run=lambda context: context[LibraryController].save(),
            is_enabled=_can_keep,
        ),
        Command(
            id="action.model.library",
            title=QT_TRANSLATE_NOOP("Action", "My blocks…"),
            words="library manage rename remove user",
            group=1,
            position=2,
            submenu=BLOCKS,
            run=lambda context: context[LibraryController].manage(),
        ),
    ),
)
