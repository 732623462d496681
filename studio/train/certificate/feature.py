"""Feature that certifies the resume of a run."""

from typing import TYPE_CHECKING

from studio.command.command import Command
from studio.command.context import Context
from studio.command.feature import Feature
from studio.i18n import QT_TRANSLATE_NOOP
from studio.run_control.controller import RunController
from studio.services import Services
from studio.train.certificate.rule import can_certify

if TYPE_CHECKING:
    from studio.train.certificate.controller import CertificateController


def certificates(context: Context) -> "CertificateController":
    """Return the controller of the certificates, which ends with the window's contents."""
    from studio.train.certificate.controller import CertificateController

    def make() -> CertificateController:
        controller = CertificateController(context[Services])
        context.closing.connect(controller.cancel)
        return controller

    return context.once(CertificateController, make)


def _can_certify(context: Context) -> bool:
    return can_certify(context[RunController], context[Services].session.run)


def _show(context: Context) -> None:
    update = context[Services].session.run
    if update is not None:
        certificates(context).show(update.folder)


FEATURE = Feature(
    commands=(
        Command(
            id="action.run.certify",
            title=QT_TRANSLATE_NOOP("Action", "Certify resume…"),
            words="certificate reproducible bit identical deterministic checkpoint proof",
            group=1,
            position=3,
            run=_show,
            is_enabled=_can_certify,
        ),
    ),
)
