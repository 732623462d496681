"""Plain script that has Weights & Biases write an offline run, and reads it back.

``python -I wandb_run.py FOLDER NAME`` reads the run as JSON from its standard input and answers
with the file and the points in it. It needs wandb, and no network.
"""

import json
import math
import os
import struct
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

HEADER, BLOCK, HEAD = 7, 32768, 7  # bytes of the log that the file is: LevelDB's form
FULL, LAST = 1, 4  # kinds of pieces of a record


def rows_of(run: dict[str, Any]) -> dict[int, dict[str, float]]:
    """Return the values of all curves by step, in order, each with its time."""
    rows: dict[int, dict[str, float]] = {}
    for curve in run["curves"]:
        points = zip(curve["steps"], curve["values"], curve["times"], strict=True)
        for step, value, time in points:
            rows.setdefault(step, {"_timestamp": time})[curve["tag"]] = value
    return dict(sorted(rows.items()))


def write(run: dict[str, Any], folder: Path) -> Path:
    """Write a run and return the file."""
    places = ("WANDB_DIR", "WANDB_CACHE_DIR", "WANDB_CONFIG_DIR", "WANDB_DATA_DIR")
    os.environ |= {**dict.fromkeys(places, str(folder)), "WANDB_MODE": "offline"}
    os.environ |= {"WANDB_SILENT": "true", "WANDB_ERROR_REPORTING": "false"}
    wandb = import_module("wandb")
    quiet = {
        "console": "off",
        "x_disable_stats": True,
        "x_disable_meta": True,
        "x_save_requirements": False,
        "save_code": False,
        "disable_git": True,
    }
    with wandb.init(
        project=run["project"],
        id=run["key"],
        name=run["name"],
        config={**run["settings"], "trellis.run": run["run"]},
        dir=str(folder),
        mode="offline",
        settings=wandb.Settings(**quiet),
    ) as made:
        for step, values in rows_of(run).items():
            made.log(values, step=step)
    wandb.teardown()  # the process that writes the file ends: all of it is there
    return next(folder.glob("wandb/offline-run-*/*.wandb"))


def records(content: bytes) -> Iterator[bytes]:
    """Yield the records of a log: pieces of blocks, each with checksum, length and kind."""
    place, parts = HEADER, b""
    while place + HEAD <= len(content):
        if BLOCK - place % BLOCK < HEAD:
            place += BLOCK - place % BLOCK
            continue
        _, length, kind = struct.unpack_from("<IHB", content, place)
        parts += content[place + HEAD : place + HEAD + length]
        place += HEAD + length
        if kind in {FULL, LAST}:
            yield parts
            parts = b""


def read(file: Path, tags: list[str]) -> dict[str, dict[int, float]]:
    """Return the points in an offline run, by the messages of wandb's own package."""
    message = import_module("wandb.proto.wandb_internal_pb2").Record
    found: dict[str, dict[int, float]] = {tag: {} for tag in tags}
    for content in records(file.read_bytes()):
        record = message()
        record.ParseFromString(content)
        for item in record.history.item:
            tag = item.key or ".".join(item.nested_key)
            value = json.loads(item.value_json) if tag in found else None
            if isinstance(value, int | float) and math.isfinite(value):
                found[tag][record.history.step.num] = value
    return found


if __name__ == "__main__":
    answer_to, sys.stdout = sys.stdout, sys.stderr
    asked = json.load(sys.stdin)
    target = write(asked, Path(sys.argv[1]))
    points = read(target, [curve["tag"] for curve in asked["curves"]])
    json.dump({"file": str(target), "points": points}, answer_to)
