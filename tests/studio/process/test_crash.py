"""A crash of the window's process: the next start tells it; two in a minute lead to safe mode."""

import os
import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from studio.process.settings import SettingsStore

ROOT = Path(__file__).parents[3]
CODE = """
import os, signal, sys
from pathlib import Path
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QAbstractButton
import studio.app.app as app
import studio.process.settings as settings

settings.CRASH_WINDOW_S = 3600.0  # a slow machine needs longer than a minute for three starts

app.Studio.start_background = lambda self: QTimer.singleShot(50, self, lambda: look(self))

def look(studio):
    view = studio.window.banner.view
    print("notice", view.key if view else "none", studio.session.project is not None)
    if view is not None and view.key == "crash":
        view.actions[0][1]()
        copy = studio.window.findChild(QAbstractButton, "dialog.report.copy")
        copy.click()
        text = QApplication.clipboard().text()
        print("report", "Segmentation fault" in text and "File " in text)
    sys.stdout.flush()
    if sys.argv[2] == "crash":
        os.kill(os.getpid(), signal.SIGSEGV)
    studio.quit()

sys.exit(app.main(Path(sys.argv[1])))
"""


@pytest.fixture
def start(project_path, tmp_path):
    """Return a function that starts the program and returns its exit code and what it said."""
    names = ("CONFIG", "STATE", "DATA", "CACHE")
    homes = {f"XDG_{name}_HOME": str(tmp_path / name.lower()) for name in names}
    environment = os.environ | homes | {"QT_QPA_PLATFORM": "offscreen"}

    def run(how: str) -> tuple[int, list[str]]:
        done = subprocess.run(
            [sys.executable, "-c", CODE, str(project_path), how],
            cwd=ROOT,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=100,
        )
        return done.returncode, done.stdout.splitlines()

    return run


@pytest.mark.real
@pytest.mark.fault("F26")
@pytest.mark.timeout(400)  # the program is started three times
def test_that_a_crash_is_told_with_its_report_and_two_lead_to_safe_mode(start):
    assert start("crash") == (-signal.SIGSEGV, ["notice none True"])
    code, said = start("crash")
    assert code == -signal.SIGSEGV
    assert said == ["notice crash True", "report True"]
    assert start("quit") == (0, ["notice safe False"])


@pytest.mark.fault("F26")
def test_that_a_damaged_layout_is_taken_whole_or_not_at_all(opened):
    store = opened.settings
    window = opened.window
    whole_layout = bytes(window.saveState().data()), bytes(window.saveGeometry().data())
    store.set_layout(*whole_layout)
    opened.writer.wait()
    path = store.folder / "settings.json"
    whole = path.read_bytes()
    dice = random.Random(11)
    taken = 0
    for _ in range(100):
        damaged = bytearray(whole)
        damaged[dice.randrange(len(whole))] ^= 1 << dice.randrange(8)
        path.write_bytes(bytes(damaged))
        layout = SettingsStore(path.parent).layout()
        assert layout in (None, whole_layout)
        if layout is not None:
            taken += 1
            window.apply_layout(*layout)
    assert 0 < taken < 100
    assert window.is_dock_shown("palette")
