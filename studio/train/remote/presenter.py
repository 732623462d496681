"""What was found on another machine, in words."""

from engine.runtime import RemoteReport
from studio.i18n import translate

_GIB = 1 << 30


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
