"""Feature of low-rank adaptation (LoRA)."""

from studio.command.command import Command
from studio.command.context import Context
from studio.command.feature import Feature
from studio.i18n import QT_TRANSLATE_NOOP
from studio.model.canvas.controller import ModelController
from studio.model.lora.controller import LoraController, has_lora, has_selected_lora
from studio.model.menu import WEIGHTS
from studio.services import Services
from studio.session.session import Session
from studio.view.rule import has_nodes, is_model


def _build(context: Context) -> None:
    context.add(LoraController(context[Services], context[ModelController]))


def _has_lora(context: Context) -> bool:
    return has_lora(context[Session])


def _has_selected(context: Context) -> bool:
    return is_model(context) and has_selected_lora(context[Session])


FEATURE = Feature(
    build=_build,
    commands=(
        Command(
            id="action.model.lora",
            title=QT_TRANSLATE_NOOP("Action", "Add LoRA…"),
            keys=("Ctrl+Alt+L",),
            words="low-rank adaptation adapter PEFT fine-tune freeze rank alpha",
            group=1,
            position=3,
            submenu=WEIGHTS,
            run=lambda context: context[LoraController].add(),
            is_enabled=has_nodes,
        ),
        Command(
            id="action.model.remove_lora",
            title=QT_TRANSLATE_NOOP("Action", "Remove LoRA"),
            words="low-rank adaptation adapter plain layer undo discard",
            group=1,
            position=3,
            submenu=WEIGHTS,
            run=lambda context: context[LoraController].remove(),
            is_enabled=_has_selected,
        ),
        Command(
            id="action.model.merge_lora",
            title=QT_TRANSLATE_NOOP("Action", "Merge LoRA…"),
            words="low-rank adaptation fold add weights plain layer fuse",
            group=1,
            position=3,
            submenu=WEIGHTS,
            run=lambda context: context[LoraController].merge(),
            is_enabled=_has_lora,
        ),
        Command(
            id="action.model.save_adapter",
            title=QT_TRANSLATE_NOOP("Action", "Save LoRA adapter…"),
            words="low-rank adaptation PEFT safetensors export",
            group=1,
            position=3,
            submenu=WEIGHTS,
            run=lambda context: context[LoraController].save(),
            is_enabled=_has_lora,
        ),
        Command(
            id="action.model.load_adapter",
            title=QT_TRANSLATE_NOOP("Action", "Load LoRA adapter…"),
            words="low-rank adaptation PEFT safetensors import weights",
            group=1,
            position=3,
            submenu=WEIGHTS,
            run=lambda context: context[LoraController].load(),
            is_enabled=_has_lora,
        ),
    ),
)
