"""Feature that downloads the data set that is chosen."""

from studio.command.command import Command
from studio.command.context import Context
from studio.command.feature import Feature
from studio.data.download.presenter import is_downloadable
from studio.i18n import QT_TRANSLATE_NOOP
from studio.services import Services
from studio.session.session import Session
from studio.view.rule import has_project


def _can_download(context: Context) -> bool:
    return has_project(context) and is_downloadable(context[Session].spec)


def _show(context: Context) -> None:
    from studio.data.download.controller import DownloadController

    services = context[Services]
    context.once(DownloadController, lambda: DownloadController(services)).show()


FEATURE = Feature(
    commands=(
        Command(
            id="action.data.download",
            title=QT_TRANSLATE_NOOP("Action", "Download data set…"),
            words="torchvision mnist cifar fetch internet",
            run=_show,
            is_enabled=_can_download,
        ),
    ),
)
