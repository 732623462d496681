"""Feature of surgery: an existing model is frozen, cut and given another head."""

from studio.command.command import Command
from studio.command.context import Context
from studio.command.feature import Feature
from studio.i18n import QT_TRANSLATE_NOOP
from studio.model.canvas.controller import ModelController
from studio.model.menu import WEIGHTS
from studio.model.surgery.controller import SurgeryController, is_frozen
from studio.services import Services
from studio.session.session import Session
from studio.view.rule import has_nodes, has_one_node, is_model
from widgets.canvas.canvas import Canvas

_SURGERY = QT_TRANSLATE_NOOP("Action", "Surgery")


def _build(context: Context) -> None:
    services = context[Services]
    context.add(SurgeryController(services, context[ModelController], canvas=context[Canvas]))


FEATURE = Feature(
    build=_build,
    commands=(
        Command(
            id="action.model.freeze",
            title=QT_TRANSLATE_NOOP("Action", "Freeze weights"),
            keys=("Ctrl+Shift+F",),
            words="padlock lock unfreeze train requires_grad fixed pretrained",
            group=1,
            position=3,
            submenu=WEIGHTS,
            run=lambda context: context[SurgeryController].toggle_frozen(),
            is_enabled=has_nodes,
            is_checked=lambda context: is_frozen(context[Session]),
        ),
        Command(
            id="action.model.cut_after",
            title=QT_TRANSLATE_NOOP("Action", "Cut off following layers"),
            words="truncate remove behind surgery first layers features",
            group=1,
            position=4,
            submenu=_SURGERY,
            run=lambda context: context[SurgeryController].cut_after(),
            is_enabled=has_one_node,
        ),
        Command(
            id="action.model.tap",
            title=QT_TRANSLATE_NOOP("Action", "Add output after this layer"),
            words="tap feature extractor further output multi intermediate",
            group=1,
            position=4,
            submenu=_SURGERY,
            run=lambda context: context[SurgeryController].tap(),
            is_enabled=has_one_node,
        ),
        Command(
            id="action.model.dissolve",
            title=QT_TRANSLATE_NOOP("Action", "Delete and reconnect"),
            keys=("Ctrl+Del",),
            words="remove dissolve bridge wire through",
            group=1,
            position=4,
            submenu=_SURGERY,
            run=lambda context: context[SurgeryController].dissolve(),
            is_enabled=has_nodes,
        ),
        Command(
            id="action.model.replace",
            title=QT_TRANSLATE_NOOP("Action", "Replace layer…"),
            keys=("Ctrl+R",),
            words="swap exchange other type change",
            group=1,
            position=4,
            submenu=_SURGERY,
            run=lambda context: context[SurgeryController].ask_replacement(),
            is_enabled=has_one_node,
        ),
        Command(
            id="action.model.width",
            title=QT_TRANSLATE_NOOP("Action", "Change width…"),
            words="widen channels features units narrow out_channels out_features",
            group=1,
            position=4,
            submenu=_SURGERY,
            run=lambda context: context[SurgeryController].ask_width(),
            is_enabled=has_one_node,
        ),
        Command(
            id="action.model.head",
            title=QT_TRANSLATE_NOOP("Action", "Change number of classes…"),
            words="replace head classifier fc last layer",
            group=1,
            position=4,
            submenu=_SURGERY,
            run=lambda context: context[SurgeryController].ask_classes(),
            is_enabled=is_model,
        ),
        Command(
            id="action.model.sync_norms",
            title=QT_TRANSLATE_NOOP("Action", "Synchronize batch norms across GPUs"),
            words="SyncBatchNorm convert_sync_batchnorm distributed ddp several gpu convert",
            group=1,
            position=4,
            submenu=_SURGERY,
            run=lambda context: context[SurgeryController].synchronize(),
            is_enabled=is_model,
        ),
    ),
)
