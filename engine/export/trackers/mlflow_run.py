"""Plain script that has MLflow write a run into a database of its own, and read it back.

``python -I mlflow_run.py FOLDER NAME`` reads the run as JSON from its standard input and answers
with the file and the points in it. It needs MLflow, and no network.
"""

import json
import math
import os
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

os.environ |= {"MLFLOW_DISABLE_TELEMETRY": "true", "DO_NOT_TRACK": "true"}
AT_ONCE, LETTERS = 1000, 6000  # metrics, and letters of a setting, that MLflow takes
PARAMS = 100  # at once


def parts(items: list[Any], size: int) -> Iterator[list[Any]]:
    """Yield a list in pieces."""
    for start in range(0, len(items), size):
        yield items[start : start + size]


def write(run: dict[str, Any], file: Path) -> dict[str, dict[int, float]]:
    """Write a run and return its points, read back."""
    entities = import_module("mlflow.entities")
    uri = f"sqlite:///{file}"
    client = import_module("mlflow").MlflowClient(tracking_uri=uri, registry_uri=uri)
    experiment = client.create_experiment(run["project"], artifact_location="artifacts")
    first, last = int(1000 * run["first"]), int(1000 * run["last"])
    made = client.create_run(experiment, start_time=first, run_name=run["name"]).info.run_id
    values = [(name, str(value)[:LETTERS]) for name, value in run["settings"].items()]
    for some in parts(values, PARAMS):
        client.log_batch(made, params=[entities.Param(*each) for each in some])
    tags = [entities.RunTag("trellis.run", run["run"])]
    client.log_batch(made, tags=tags)
    for curve in run["curves"]:
        rows = zip(curve["values"], curve["times"], curve["steps"], strict=True)
        metrics = [
            entities.Metric(curve["tag"], value, int(1000 * time), step)
            for value, time, step in rows
        ]
        for some in parts(metrics, AT_ONCE):
            client.log_batch(made, metrics=some)
    status = {"": "RUNNING", "failed": "FAILED", "died": "FAILED", "stopped": "KILLED"}
    client.set_terminated(made, status.get(run["reason"], "FINISHED"), end_time=last)
    return {
        curve["tag"]: {
            point.step: point.value
            for point in client.get_metric_history(made, curve["tag"])
            if math.isfinite(point.value)
        }
        for curve in run["curves"]
    }


if __name__ == "__main__":
    answer_to, sys.stdout = sys.stdout, sys.stderr
    target = Path(sys.argv[1]) / "mlflow.db"
    points = write(json.load(sys.stdin), target)
    json.dump({"file": str(target), "points": points}, answer_to)
