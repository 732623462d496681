"""Data of known faults for tests of the checks, and their check to the end."""

from pathlib import Path

import numpy as np
from PIL import Image

from engine.data.health.health_check import HealthCheck
from engine.data.health.subject import open_subject
from engine.spec.health import HealthFinding, HealthReport
from engine.spec.run import Choice, DataSpec, SplitSpec


def examined(data: DataSpec, **options: bool) -> HealthReport:
    """Return the report about data."""
    check = HealthCheck(open_subject(data, **options))
    while not check.advance(60):
        pass
    return check.report()


def codes(report: HealthReport) -> list[str]:
    """Return the codes of all findings, sorted."""
    return sorted(found.problem.code for found in report.findings)


def the(report: HealthReport, code: str) -> HealthFinding:
    """Return the only finding of a code."""
    found = [each for each in report.findings if each.problem.code == code]
    assert len(found) == 1, codes(report)
    return found[0]


def photo(seed: int, size: tuple[int, int] = (64, 48)) -> Image.Image:
    """Return a picture with large forms and noise, another one for each seed."""
    chance = np.random.default_rng(seed)
    forms = Image.fromarray(chance.integers(0, 256, (6, 6, 3), dtype=np.uint8))
    pixels = np.asarray(forms.resize(size, Image.Resampling.BICUBIC)).astype(np.int64)
    pixels = pixels + chance.integers(-10, 11, pixels.shape)
    return Image.fromarray(pixels.clip(0, 255).astype(np.uint8))


def photos(folder: Path, count: int = 12) -> Path:
    """Return a folder of pictures of two classes, all of them different."""
    for seed in range(2 * count):
        path = folder / ("cats", "dogs")[seed % 2] / f"{seed:03}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        photo(seed).save(path)
    return folder


def of_folder(folder: Path, split: SplitSpec | None = None, **params: object) -> DataSpec:
    """Return the data of a folder of pictures."""
    source = Choice(type="image_folder", params={"path": str(folder), "size": 32, **params})
    return DataSpec(source=source, split=split or SplitSpec())


def of_table(path: Path, rows: dict[str, list[object]], **params: object) -> DataSpec:
    """Write a table and return it as data; the target is the column ``y``."""
    lines = [",".join(rows), *(",".join(map(str, row)) for row in zip(*rows.values(), strict=True))]
    path.write_text("\n".join(lines), encoding="utf-8")
    return DataSpec(source=Choice(type="table", params={"path": str(path), "target": "y"} | params))


def clean_rows(count: int = 200) -> dict[str, list[object]]:
    """Return a table in which nothing is wrong: noisy columns that say a little of the class."""
    chance = np.random.default_rng(0)
    y = chance.integers(0, 2, count)
    return {
        "a": (chance.normal(size=count) + y).round(4).tolist(),
        "b": chance.normal(size=count).round(4).tolist(),
        "c": chance.choice(["red", "green", "blue"], count).tolist(),
        "y": [("no", "yes")[at] for at in y],
    }
