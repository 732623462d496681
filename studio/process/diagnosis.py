"""What this program and machine are, as text for a report."""

import platform
import sys

from PySide6.QtCore import qVersion
from PySide6.QtGui import QGuiApplication

from engine.query.machine.request import Capabilities
from engine.query.machine.versions import package_versions
from engine.sandbox.confinement import describe

VERSION = "0.1.0"


def diagnosis(machine: Capabilities | None) -> str:
    """Return versions, system and screen; no names, no paths."""
    screen = QGuiApplication.primaryScreen()
    lines = [
        f"Trellis {VERSION}",
        f"Python {platform.python_version()} ({sys.platform}, {platform.machine()})",
        f"{platform.system()} {platform.release()}",
        f"Qt {qVersion()} on {QGuiApplication.platformName()}",
        f"Screen {screen.size().width()}x{screen.size().height()} at {screen.devicePixelRatio():g}"
        if screen
        else "no screen",
    ]
    lines.append(_confinement())
    lines += [f"{name} {version or '-'}" for name, version in package_versions().items()]
    if machine is not None:
        lines.append(f"{machine.threads} threads, {machine.memory_bytes / 2**30:.1f} GiB memory")
        lines += [f"GPU {gpu.name}, {gpu.memory_bytes / 2**30:.1f} GiB" for gpu in machine.gpus]
    return "\n".join(lines)


def _confinement() -> str:
    """Return what readers of strangers' files are held to on this machine, and what not."""
    held = describe()
    parts = ("writing", "reading", "network", "processes", "memory", "time")
    refused = ", ".join(part for part in parts if getattr(held, part))
    left = ", ".join(part for part in parts if not getattr(held, part))
    means = f"Landlock {held.landlock or '-'}, seccomp {'yes' if held.seccomp else 'no'}"
    free = f"; not in {left}" if left else ""
    return f"Readers of files confined in {refused}{free}\n{means}"
