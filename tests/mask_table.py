"""A table of pictures with masks of three classes, for tests."""

import csv
from pathlib import Path

import numpy as np
from PIL import Image

from engine.catalog.spec import Value
from engine.spec.run import Choice, DataSpec, SplitSpec

HEAD = ("picture", "mask", "age", "site")
HEIGHT, WIDTH = 16, 24


def scans(folder: Path, rows: int = 24, head: tuple[str, ...] = HEAD) -> Path:
    """Write a table of pictures with masks of three classes: a bright square is the class of its
    color. Beside them is a number and a category.
    """
    (folder / "img").mkdir(parents=True)
    (folder / "m").mkdir()
    lines = [head]
    noise = np.random.default_rng(0)
    for row in range(rows):
        pixels = noise.integers(0, 60, (HEIGHT, WIDTH, 3)).astype(np.uint8)
        mask = np.zeros((HEIGHT, WIDTH), np.uint8)
        kind = row % 2 + 1
        pixels[4:10, row % 12 : row % 12 + 8] = ((250, 20, 20), (20, 20, 250))[kind - 1]
        mask[4:10, row % 12 : row % 12 + 8] = kind
        Image.fromarray(pixels).save(folder / "img" / f"{row}.png")
        Image.fromarray(mask).save(folder / "m" / f"{row}.png")
        lines.append((f"img/{row}.png", f"m/{row}.png", str(20 + 7 * row % 60), "AB"[row % 2]))
    path = folder / "scans.csv"
    with path.open("w", newline="", encoding="utf-8") as stream:
        csv.writer(stream).writerows(lines)
    return path


def spec_of(path: Path, **params: Value) -> DataSpec:
    chosen: dict[str, Value] = {
        "path": str(path),
        "target": "mask",
        "kinds": "picture=image, mask=mask",
        "classes": 3,
        "size": (HEIGHT, WIDTH),
        **params,
    }
    split = SplitSpec(train=0.5, validation=0.5, test=0.0)
    return DataSpec(source=Choice(type="table", params=chosen), split=split)
