"""The commands about this machine: doctor, and screenshot (the only one that loads Qt)."""

import os
import platform
import re
import shutil
from argparse import Namespace
from importlib import import_module
from pathlib import Path

import psutil

from engine.diagnostics import DiagnosticError
from engine.files import atomic_write
from engine.query.machine.request import CheckInstallation, GetCapabilities
from engine.query.machine.versions import package_versions
from studio import installation
from studio.cli.asking import ask
from studio.cli.output import padded, summary, write, write_document
from studio.cli.parser import UsageError
from studio.cli.run_command import project_folder
from studio.cli.wording import said, worded
from studio.process.settings import settings_folder

_WORKSPACES = ("model", "data", "train", "inspect", "runs", "export", "welcome")
_LEAST_MEMORY = 2 << 30
_LEAST_DISK = 1 << 30
_LABEL_WIDTH = 16  # columns
_LABELS = {
    "python": "Python",
    "processor_cores": "processor cores",
    "memory_free": "memory free",
    "disk_free": "disk free",
    "built_for": "built for",
    "computes_on": "computes on",
}


def doctor(options: Namespace) -> int:
    """Tell what this machine has and what is missing; exit code 1 when something is in the way."""
    report, problems, is_good = _examination()
    if options.json:
        write_document(report | {"problems": problems, "ok": is_good})
        return 0 if is_good else 1
    for name, value in report.items():
        text = ", ".join(f"{k} {v}" for k, v in value.items()) if isinstance(value, dict) else value
        label = worded(_LABELS.get(name, name))
        write(f"{padded(label, _LABEL_WIDTH)} {worded(str(text))}")
    for problem in problems:
        write(f"! {problem}")
    if not problems:
        write(said("Everything is installed."))
    return 0 if is_good else 1


def screenshot(options: Namespace) -> int:
    """Open a project in a window of a size and save its picture."""
    match = re.fullmatch(r"(\d{3,4})x(\d{3,4})", options.size)
    if match is None:
        raise UsageError(
            said("--size {size}: expected WIDTHxHEIGHT, such as 1440x900", size=options.size)
        )
    pages = [
        f"{workspace}.{name}"
        for workspace in ("data", "inspect", "runs")
        for name in import_module(f"studio.{workspace}.feature").PAGES
    ]
    choices = (*_WORKSPACES, *pages)
    if options.workspace not in choices:
        raise UsageError(
            said(
                "--workspace {workspace}: expected one of {names}",
                workspace=options.workspace,
                names=", ".join(choices),
            )
        )
    if not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
        # The plug-in without a screen tells for every window that it has no size hints.
        os.environ.setdefault("QT_LOGGING_RULES", "default.warning=false")
    project = project_folder(options.project)
    output = Path(options.output).absolute()
    import_module("studio.app.screenshot").take(
        project,
        options.workspace,
        output,
        (int(match[1]), int(match[2])),
        options.theme,
        options.lang,
        options.press,
    )
    write(str(output))
    return 0


def _examination() -> tuple[dict[str, object], list[str], bool]:
    findings = installation.version_findings()
    problems = [finding.sentence() for finding in (*findings, *installation.screen_findings())]
    is_good = all(finding.blocks == "" and finding.code != "E025" for finding in findings)
    memory, disk = psutil.virtual_memory(), shutil.disk_usage(Path.cwd())
    report: dict[str, object] = {
        "python": platform.python_version(),
        "system": platform.platform(),
        "versions": package_versions(),
        "processor_cores": os.cpu_count() or 1,
        "memory_free": _size(memory.available),
        "memory": _size(memory.total),
        "disk_free": _size(disk.free),
        "settings": str(settings_folder()),
    }
    try:
        found, torch = ask(GetCapabilities()), ask(CheckInstallation())
    except DiagnosticError as error:
        problems.append(summary(error.problems))
        is_good = False
    else:
        report["threads"] = found.threads
        report["devices"] = ", ".join(found.devices)
        report["gpus"] = ", ".join(gpu.name for gpu in found.gpus) or "none"
        report["built_for"] = f"CUDA {torch.cuda}" if torch.cuda else "CPU cores, without CUDA"
        sound = [trial.device for trial in torch.trials if trial.problem is None]
        report["computes_on"] = ", ".join(sound) or "none"
        failed = [trial.problem for trial in torch.trials if trial.problem is not None]
        problems += [summary((problem,)) for problem in failed]
    if memory.available < _LEAST_MEMORY:
        problems.append(
            said("Less than 2 GB of memory is free. Close other programs before training.")
        )
    if disk.free < _LEAST_DISK:
        problems.append(
            said("Less than 1 GB of disk space is free. Free up some space before training.")
        )
    if (refusal := _settings_refusal()) is not None:
        problems.append(refusal)
    return report, problems, is_good


def _settings_refusal() -> str | None:
    """Return why settings cannot be written, from trying."""
    probe = settings_folder() / ".probe"
    try:
        probe.parent.mkdir(parents=True, exist_ok=True)
        atomic_write(probe, b"")
        probe.unlink()
    except DiagnosticError as error:
        return summary(error.problems)
    except OSError as error:
        return said(
            "Settings cannot be written in {folder} ({reason}): check its owner.",
            folder=str(probe.parent),
            reason=str(error.strerror),
        )
    return None


def _size(count: int) -> str:
    return f"{count / 2**30:.1f} GB"
