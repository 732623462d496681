"""Feature of runs on several machines."""

from studio.command.command import Command
from studio.command.context import Context
from studio.command.feature import Feature
from studio.i18n import QT_TRANSLATE_NOOP
from studio.services import Services
from studio.view.rule import has_project


def _show(context: Context) -> None:
    from studio.train.cluster.controller import ClusterController

    services = context[Services]
    controller = context.once(ClusterController, lambda: ClusterController(services))
    controller.show()


FEATURE = Feature(
    commands=(
        Command(
            id="action.run.machines",
            title=QT_TRANSLATE_NOOP("Action", "Several machines…"),
            words="cluster nodes torchrun slurm distributed ddp ranks world size launch",
            group=1,
            position=4,
            run=_show,
            is_enabled=has_project,
        ),
    ),
)
