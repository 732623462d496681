"""A virtual screen for benchmarks that show the window."""

import os
import shutil
import subprocess
import sys


def move_to_display() -> None:
    """Start this script again on a virtual screen when there is no screen; go on off screen where
    the machine has no such thing.
    """
    if os.environ.get("DISPLAY") or os.environ.get("QT_QPA_PLATFORM"):
        return
    if shutil.which("xvfb-run") is None:
        os.environ["QT_QPA_PLATFORM"] = "offscreen"
        return
    screen = ["-s", "-screen 0 1600x1000x24 -nolisten tcp"]
    command = ["xvfb-run", "-a", *screen, sys.executable, *sys.orig_argv[1:]]
    sys.exit(subprocess.run(command, check=False).returncode)
