"""Feature of recomputing activations (activation checkpointing)."""

from studio.command.command import Command
from studio.command.context import Context
from studio.command.feature import Feature
from studio.i18n import QT_TRANSLATE_NOOP
from studio.model.canvas.controller import ModelController
from studio.model.menu import BLOCKS
from studio.model.recomputation.controller import RecomputationController, is_recomputed
from studio.services import Services
from studio.session.session import Session
from studio.view.rule import has_nodes


def _build(context: Context) -> None:
    context.add(RecomputationController(context[Services], context[ModelController]))


FEATURE = Feature(
    build=_build,
    commands=(
        Command(
            id="action.model.recompute",
            title=QT_TRANSLATE_NOOP("Action", "Recompute in backward pass…"),
            words="activation checkpointing gradient checkpoint memory save rematerialization",
            group=1,
            submenu=BLOCKS,
            run=lambda context: context[RecomputationController].toggle(),
            is_enabled=has_nodes,
            is_checked=lambda context: is_recomputed(context[Session]),
        ),
    ),
)
