"""The commands of the Model menu that change an existing model and say what is trained in it."""

from studio.command.command import ActionState, Command, has_nodes, is_model
from studio.i18n import QT_TRANSLATE_NOOP

WEIGHTS_MENU = QT_TRANSLATE_NOOP("Action", "Weights")
_SURGERY = QT_TRANSLATE_NOOP("Action", "Surgery")


def _is_one(state: ActionState) -> bool:
    return is_model(state) and state.selected == 1


FREEZE_COMMAND = Command(
    id="action.model.freeze",
    title=QT_TRANSLATE_NOOP("Action", "Freeze the weights"),
    keys=("Ctrl+Shift+F",),
    words="padlock lock unfreeze train requires_grad fixed pretrained",
    group=1,
    submenu=WEIGHTS_MENU,
    checkable=True,
    enabled=has_nodes,
)

BRUSH_COMMAND = Command(
    id="action.model.brush",
    title=QT_TRANSLATE_NOOP("Action", "Freeze brush"),
    keys=("Ctrl+Alt+F",),
    words="paint freeze parameter groups learning rate swatches optimizer palette",
    group=1,
    submenu=WEIGHTS_MENU,
    checkable=True,
    enabled=is_model,
)

FINETUNE_COMMAND = Command(
    id="action.model.finetune",
    title=QT_TRANSLATE_NOOP("Action", "Fine-tune…"),
    words="transfer learning pretrained freeze head classes wizard two learning rates",
    group=1,
)

SURGERY_COMMANDS = (
    Command(
        id="action.model.cut_after",
        title=QT_TRANSLATE_NOOP("Action", "Cut off what follows"),
        words="truncate remove behind surgery first layers features",
        group=1,
        submenu=_SURGERY,
        enabled=_is_one,
    ),
    Command(
        id="action.model.tap",
        title=QT_TRANSLATE_NOOP("Action", "Use the output of this layer too"),
        words="tap feature extractor further output multi intermediate",
        group=1,
        submenu=_SURGERY,
        enabled=_is_one,
    ),
    Command(
        id="action.model.dissolve",
        title=QT_TRANSLATE_NOOP("Action", "Delete and close the gap"),
        keys=("Ctrl+Del",),
        words="remove dissolve bridge wire through",
        group=1,
        submenu=_SURGERY,
        enabled=has_nodes,
    ),
    Command(
        id="action.model.replace",
        title=QT_TRANSLATE_NOOP("Action", "Replace the layer…"),
        keys=("Ctrl+R",),
        words="swap exchange other type change",
        group=1,
        submenu=_SURGERY,
        enabled=_is_one,
    ),
    Command(
        id="action.model.width",
        title=QT_TRANSLATE_NOOP("Action", "Change the width…"),
        words="widen channels features units narrow out_channels out_features",
        group=1,
        submenu=_SURGERY,
        enabled=_is_one,
    ),
    Command(
        id="action.model.head",
        title=QT_TRANSLATE_NOOP("Action", "Another number of classes…"),
        words="replace head classifier fc last layer",
        group=1,
        submenu=_SURGERY,
        enabled=is_model,
    ),
    Command(
        id="action.model.sync_norms",
        title=QT_TRANSLATE_NOOP("Action", "Synchronize batch norms over GPUs"),
        words="SyncBatchNorm convert_sync_batchnorm distributed ddp several gpu convert",
        group=1,
        submenu=_SURGERY,
        enabled=is_model,
    ),
)
