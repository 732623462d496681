"""Another machine as it is typed in, and what it offers a run in words."""

from dataclasses import dataclass

from engine.runs.machine.remote import Remote, parse_remote
from engine.runtime import RemoteReport
from studio.i18n import translate

_GIB = 1 << 30


@dataclass(frozen=True, kw_only=True)
class RemoteForm:
    """Texts of the dialog's fields; an empty one stands for the default."""

    machine: str = ""
    key: str = ""
    python: str = ""
    folder: str = ""

    def remote(self) -> Remote:
        """Return the machine that is meant. Raises :class:`DiagnosticError` (R400)."""
        default = Remote()
        base = Remote(
            key=self.key.strip(),
            python=self.python.strip() or default.python,
            folder=self.folder.strip() or default.folder,
        )
        return parse_remote(self.machine, base)


def present_report(machine: str, report: RemoteReport) -> str:
    """Return what a machine has to offer a run."""
    gpus = ", ".join(report.gpus) or translate("Remote", "no GPU")
    return translate(
        "Remote",
        "{machine} is ready: Python {python}, PyTorch {torch}, {gpus}, {free} GB free.",
    ).format(
        machine=machine,
        python=report.python,
        torch=report.torch,
        gpus=gpus,
        free=f"{report.free / _GIB:.0f}",
    )
