import os
import struct
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
OPTIONS = ("--workspace", "model", "--size", "1500x900", "--theme", "dark", "--lang", "zh_CN")


@pytest.mark.real
def test_that_a_picture_of_a_workspace_is_saved_without_a_screen(project, tmp_path):
    output = tmp_path / "model.png"
    environment = {
        name: value
        for name, value in os.environ.items()
        if name not in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    }
    done = subprocess.run(
        [sys.executable, "main.py", "screenshot", str(project), *OPTIONS, "--output", str(output)],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"{output}\n"
    head = output.read_bytes()[:24]
    assert head.startswith(b"\x89PNG")
    assert struct.unpack(">II", head[16:24]) == (1500, 900)
