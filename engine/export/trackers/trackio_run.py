"""Plain script that has Trackio write a run into a database of its own, and read it back.

``python -I trackio_run.py FOLDER NAME`` reads the run as JSON from its standard input and answers
with the file and the points in it. It needs Trackio, and no network. The project has the name of
the file, by which Trackio finds it.
"""

import json
import math
import os
import sqlite3
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

OFFLINE = {
    "HF_HUB_OFFLINE": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "GRADIO_ANALYTICS_ENABLED": "False",
}


def rows_of(run: dict[str, Any]) -> dict[int, dict[str, float]]:
    """Return the values of all curves by step, in order."""
    rows: dict[int, dict[str, float]] = {}
    for curve in run["curves"]:
        for step, value in zip(curve["steps"], curve["values"], strict=True):
            rows.setdefault(step, {})[curve["tag"]] = value
    return dict(sorted(rows.items()))


def write(run: dict[str, Any], folder: Path, name: str) -> Path:
    """Write a run and return the file."""
    os.environ |= OFFLINE | {"TRACKIO_DIR": str(folder)}
    trackio = import_module("trackio")
    made = trackio.init(
        project=name,
        name=run["name"],
        config={**run["settings"], "trellis.project": run["project"], "trellis.run": run["run"]},
        embed=False,
        auto_log_gpu=False,
        auto_log_cpu=False,
    )
    for step, values in rows_of(run).items():
        made.log(values, step=step)
    made.finish()
    file = next(folder.glob("*.db"))
    connection = sqlite3.connect(file)
    connection.execute("PRAGMA journal_mode=DELETE")  # all in one file
    connection.close()
    return file


def read(file: Path, tags: list[str]) -> dict[str, dict[int, float]]:
    """Return the points in a database of Trackio."""
    found: dict[str, dict[int, float]] = {tag: {} for tag in tags}
    connection = sqlite3.connect(file)
    for step, text in connection.execute("SELECT step, metrics FROM metrics"):
        for tag, value in json.loads(text).items():
            if tag in found and isinstance(value, int | float) and math.isfinite(value):
                found[tag][step] = value
    connection.close()
    return found


if __name__ == "__main__":
    answer_to, sys.stdout = sys.stdout, sys.stderr
    asked = json.load(sys.stdin)
    target = write(asked, Path(sys.argv[1]), sys.argv[2])
    points = read(target, [curve["tag"] for curve in asked["curves"]])
    json.dump({"file": str(target), "points": points}, answer_to)
