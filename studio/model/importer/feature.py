"""Feature that imports models."""

from studio.command.command import Command
from studio.command.context import Context
from studio.command.feature import Feature
from studio.i18n import QT_TRANSLATE_NOOP
from studio.model.canvas.controller import ModelController
from studio.model.importer.controller import ImportController
from studio.project.project import ProjectController
from studio.run_control.leaving import LeavingController
from studio.services import Services


def _build(context: Context) -> None:
    services = context[Services]
    context.add(
        ImportController(
            services,
            context[ProjectController],
            leaving=context[LeavingController],
            select=context[ModelController].select_soon,
        )
    )


FEATURE = Feature(
    build=_build,
    commands=(
        Command(
            id="action.file.import",
            title=QT_TRANSLATE_NOOP("Action", "Import model…"),
            keys=("Ctrl+I",),
            words="zoo torchvision resnet pretrained weights python class file load existing",
            position=2,
            run=lambda context: context[ImportController].ask(),
        ),
    ),
)
