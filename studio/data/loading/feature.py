"""Feature that measures with how many workers batches are read fastest."""

from studio.command.command import Command
from studio.command.context import Context
from studio.command.feature import Feature
from studio.i18n import QT_TRANSLATE_NOOP
from studio.services import Services
from studio.view.rule import has_project


def show_loading(context: Context) -> None:
    """Offer to measure how many workers are fastest."""
    from studio.data.loading.controller import LoadingController

    services = context[Services]
    context.once(LoadingController, lambda: LoadingController(services)).show()


FEATURE = Feature(
    commands=(
        Command(
            id="action.data.workers",
            title=QT_TRANSLATE_NOOP("Action", "Suggest workers and batch size…"),
            words="num_workers batch_size memory dataloader speed benchmark prefetch pin_memory",
            group=3,
            run=show_loading,
            is_enabled=has_project,
        ),
    ),
)
