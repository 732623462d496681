"""Controller of the check of the installation: what is there, and whether each device computes."""

from concurrent.futures import Future

from PySide6.QtCore import QObject

from engine.query.machine.request import CheckInstallation
from engine.runtime.telemetry import MachineLoad, Telemetry
from studio.help.installation.presenter import present_failure, present_installation
from studio.i18n import translate
from studio.installation import Finding, version_findings
from studio.services import Controller, Services
from studio.window.dialog.text import TextDialog


class InstallationController(Controller):
    """Glue between the dialog, the packages, the drivers and the host."""

    def __init__(self, services: Services, parent: QObject) -> None:
        super().__init__(services, parent)
        self._dialog: TextDialog | None = None

    def show(self) -> None:
        """Look at everything anew and show it."""
        if self._dialog is None:
            title = translate("Installation", "Installation check")
            waiting = translate("Installation", "Running a PyTorch computation on each device…")
            dialog = self._dialog = TextDialog(
                self._window, "installation", title=title, text=waiting, is_markdown=True
            )
            dialog.finished.connect(self._on_closed)
            self._handover.run(_look, self._on_looked)
        self._dialog.bring_to_front()

    def _on_closed(self) -> None:
        self._dialog = None

    def _on_looked(self, future: "Future[tuple[list[Finding], MachineLoad]]") -> None:
        findings, load = future.result()
        language = self._language()
        self._ask_host(
            CheckInstallation(),
            lambda found: self._show_text(present_installation(found, findings, load, language)),
            lambda problems: self._show_text(present_failure(problems, language)),
        )

    def _show_text(self, text: str) -> None:
        if self._dialog is not None:
            self._dialog.set_text(text)


def _look() -> tuple[list[Finding], MachineLoad]:
    """Return what is wrong with the packages, and the GPUs that the driver knows."""
    return version_findings(), Telemetry().read()
