"""Feature of blocks: groups of nodes that are used as one."""

from studio.command.command import Command
from studio.command.context import Context
from studio.command.feature import Feature
from studio.i18n import QT_TRANSLATE_NOOP
from studio.model.block.controller import BlockController
from studio.model.canvas.controller import ModelController
from studio.model.menu import BLOCKS, WEIGHTS
from studio.model.workspace.page import ModelWorkspace
from studio.services import Services
from studio.session.session import Session
from studio.view.rule import has_nodes, has_nodes_to_join, has_project, is_model


def _build(context: Context) -> None:
    services, page = context[Services], context[ModelWorkspace]
    context.add(
        BlockController(
            services, context[ModelController], breadcrumbs=page.breadcrumbs, canvas=page.canvas
        )
    )


def _has_block(context: Context) -> bool:
    return is_model(context) and context[BlockController].selected_use() is not None


def _is_inside(context: Context) -> bool:
    return is_model(context) and bool(context[Session].path)


def _can_share(context: Context) -> bool:
    return is_model(context) and context[BlockController].can_share()


FEATURE = Feature(
    build=_build,
    commands=(
        Command(
            id="action.model.group",
            title=QT_TRANSLATE_NOOP("Action", "Group into block"),
            keys=("Ctrl+G",),
            words="composite nest sequential module combine",
            group=1,
            submenu=BLOCKS,
            run=lambda context: context[BlockController].group(),
            is_enabled=has_nodes,
        ),
        Command(
            id="action.model.switch",
            title=QT_TRANSLATE_NOOP("Action", "Group into switch"),
            keys=("Ctrl+Alt+G",),
            words="branches alternatives choose key ModuleDict variants ablation",
            group=1,
            submenu=BLOCKS,
            run=lambda context: context[BlockController].make_switch(),
            is_enabled=has_nodes_to_join,
        ),
        Command(
            id="action.model.ungroup",
            title=QT_TRANSLATE_NOOP("Action", "Unpack block"),
            keys=("Ctrl+Shift+G",),
            words="ungroup dissolve flatten",
            group=1,
            submenu=BLOCKS,
            run=lambda context: context[BlockController].ungroup(),
            is_enabled=_has_block,
        ),
        Command(
            id="action.model.enter",
            title=QT_TRANSLATE_NOOP("Action", "Open block"),
            keys=("Alt+Down",),
            words="inside open nested",
            group=1,
            submenu=BLOCKS,
            run=lambda context: context[BlockController].enter(),
            is_enabled=_has_block,
        ),
        Command(
            id="action.model.leave",
            title=QT_TRANSLATE_NOOP("Action", "Leave block"),
            keys=("Alt+Up",),
            words="outside back parent up",
            group=1,
            submenu=BLOCKS,
            run=lambda context: context[BlockController].leave(),
            is_enabled=_is_inside,
        ),
        Command(
            id="action.model.unique",
            title=QT_TRANSLATE_NOOP("Action", "Make block unique"),
            words="copy detach unique independent block",
            group=1,
            submenu=BLOCKS,
            run=lambda context: context[BlockController].make_unique(),
            is_enabled=_has_block,
        ),
        Command(
            id="action.model.share",
            title=QT_TRANSLATE_NOOP("Action", "Share or unshare weights"),
            keys=("Ctrl+Alt+W",),
            words="use the weights of tie same module twice siamese own",
            group=1,
            submenu=WEIGHTS,
            run=lambda context: context[BlockController].share(),
            is_enabled=_can_share,
        ),
        Command(
            id="action.model.remove_unused",
            title=QT_TRANSLATE_NOOP("Action", "Remove unused blocks"),
            words="clean tidy delete palette library purge",
            group=1,
            position=3,
            submenu=BLOCKS,
            run=lambda context: context[BlockController].remove_unused(),
            is_enabled=has_project,
        ),
    ),
)
