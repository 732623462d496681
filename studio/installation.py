"""Findings about the installation: versions that are known to crash, missing packages, the screen.

Nothing but the standard library is imported at the top, so that a broken installation still gets a
sentence. The sentences stand in ``resources/diagnostics/<language>/guard.json``.
"""

from __future__ import annotations

import importlib
import json
import locale
import os
import re
import socket
import sys
from importlib import metadata, util
from pathlib import Path
from typing import NamedTuple

_SENTENCES = Path(__file__).parents[1] / "resources" / "diagnostics"
_TORCH_FLOOR = (2, 10)
_FAULTY_DOCKS = ((6, 11, 0), (6, 11, 1))
_CRASHING = (6, 12, 0)
_CONNECT_S = 1.0


class Finding(NamedTuple):
    """Something about this machine that the user should know. ``blocks`` is what cannot start."""

    code: str
    params: dict[str, str]
    blocks: str = ""  # "all", "window" or nothing

    def sentence(self, language_name: str = "") -> str:
        """Return the finding in words."""
        file = _SENTENCES / (language_name or language()) / "guard.json"
        text = json.loads(file.read_text(encoding="utf-8"))[self.code]
        for name, value in self.params.items():
            text = text.replace("{" + name + "}", value)
        return str(text)


def version_findings() -> list[Finding]:
    """Return what is wrong with the installed versions, the worst first."""
    python = sys.version_info[:3]
    found: list[Finding] = []
    if not (3, 11) <= python < (3, 14):
        found.append(Finding("E020", {"version": ".".join(map(str, python))}, "all"))
    missing = [name for name in ("msgspec", "numpy", "psutil") if _version(name) is None]
    if missing:
        found.append(Finding("E021", {"packages": ", ".join(missing)}, "all"))
    return found + _qt_findings() + _torch_findings()


def _qt_findings() -> list[Finding]:
    text = _version("PySide6-Essentials") or _version("PySide6")
    if text is None:
        return [Finding("E022", {}, "window")]
    qt = _numbers(text)
    if qt == _CRASHING and sys.version_info[:2] == (3, 11):
        return [Finding("E023", {"version": text}, "window")]
    if qt in _FAULTY_DOCKS:
        return [Finding("E024", {"version": text})]
    return []


def _torch_findings() -> list[Finding]:
    torch = _version("torch")
    if torch is None:
        return [Finding("E025", {})]
    if _numbers(torch)[:2] < _TORCH_FLOOR:
        return [Finding("E026", {"version": torch})]
    vision = _version("torchvision")
    if vision is None:
        return [Finding("E027", {})]
    wanted = [r for r in metadata.requires("torchvision") or [] if re.match(r"torch\b", r)]
    pins = [re.search(r"(==|>=)\s*([\d.]+)", requirement) for requirement in wanted]
    fits = all(
        pin is None
        or (
            _numbers(torch) == _numbers(pin[2])
            if pin[1] == "=="
            else _numbers(torch) >= _numbers(pin[2])
        )
        for pin in pins
    )
    if not fits or torch.partition("+")[2] != vision.partition("+")[2]:
        return [Finding("E028", {"torch": torch, "torchvision": vision})]
    return []


def screen_findings() -> list[Finding]:
    """Return why no window can be shown here: asked of the environment, before Qt would abort."""
    wanted = [name.partition(":")[0] for name in os.environ.get("QT_QPA_PLATFORM", "").split(";")]
    known = _platforms()
    wanted = [name for name in wanted if name]
    if wanted and known and not set(wanted) & known:
        names = ", ".join(sorted(known))
        return [Finding("E031", {"name": ";".join(wanted), "known": names}, "window")]
    if sys.platform in ("win32", "darwin") or set(wanted) - {"xcb", "wayland"}:
        return []
    options = wanted or ["wayland", "xcb"]
    has_x, has_wayland = _has_x_display(), _has_wayland_display()
    if ("xcb" in options and has_x) or ("wayland" in options and has_wayland):
        return []
    named = [
        f"{name}={os.environ[name]}"
        for name in ("DISPLAY", "WAYLAND_DISPLAY")
        if os.environ.get(name)
    ]
    if named:
        return [Finding("E032", {"display": ", ".join(named)}, "window")]
    return [Finding("E030", {}, "window")]


def toolkit_findings() -> list[Finding]:
    """Import Qt and return what its libraries lack (EGL, xcb-cursor, ...)."""
    try:
        importlib.import_module("PySide6.QtWidgets")
        if sys.platform.startswith("linux") and _uses_x():
            ctypes = importlib.import_module("ctypes")
            ctypes.CDLL("libxcb-cursor.so.0")
    except (ImportError, OSError) as error:
        return [Finding("E033", {"reason": str(error).splitlines()[0]}, "window")]
    return []


def _uses_x() -> bool:
    wanted = os.environ.get("QT_QPA_PLATFORM", "")
    return wanted.startswith("xcb") or (not wanted and _has_x_display())


def _has_x_display() -> bool:
    """Return whether somebody answers at DISPLAY."""
    match = re.fullmatch(r"(?:(?P<host>[^:/]*)(?:/\w+)?):(?P<number>\d+)(?:\.\d+)?", _display())
    if match is None:
        return _display().startswith("/")  # a socket by its path, as on macOS
    host, number = match["host"], match["number"]
    if host and host != "unix":
        return _connects(socket.AF_INET, (host, 6000 + int(number)))
    path = f"/tmp/.X11-unix/X{number}"  # noqa: S108  # where X servers listen
    return _connects(socket.AF_UNIX, path) or _connects(socket.AF_UNIX, f"\0{path}")


def _display() -> str:
    return os.environ.get("DISPLAY", "")


def _has_wayland_display() -> bool:
    name = os.environ.get("WAYLAND_DISPLAY", "")
    if not name:
        return False
    return _connects(socket.AF_UNIX, str(Path(os.environ.get("XDG_RUNTIME_DIR", "/")) / name))


def _connects(family: socket.AddressFamily, address: str | tuple[str, int]) -> bool:
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.settimeout(_CONNECT_S)
        try:
            probe.connect(address)
        except (OSError, ValueError):
            return False
    return True


def _platforms() -> set[str]:
    """Return the names that QT_QPA_PLATFORM can hold with this installation."""
    spec = util.find_spec("PySide6")
    if spec is None or not spec.submodule_search_locations:
        return set()
    found: set[str] = set()
    for folder in ("Qt/plugins/platforms", "plugins/platforms"):
        for plugin in Path(spec.submodule_search_locations[0], folder).glob("*q*.*"):
            found.add(re.sub(r"^(lib)?q", "", plugin.name.partition(".")[0]))
    return found


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", version.partition("+")[0])[:3])


def language() -> str:
    """Return the language of messages in the terminal, from the environment."""
    name = os.environ.get("LC_ALL") or os.environ.get("LC_MESSAGES") or os.environ.get("LANG")
    return "zh_CN" if (name or str(locale.getlocale()[0])).startswith("zh") else "en"
