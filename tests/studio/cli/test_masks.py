"""A folder of pictures with masks, from the command line alone to a model that finds the shapes."""

from pathlib import Path

import pytest
import torch
from PIL import Image
from torch import Tensor

from engine.data.source.registry import load_source
from engine.spec.run import Choice

pytestmark = [pytest.mark.real, pytest.mark.row("P13")]


def folder_of(root: Path) -> Path:
    """Return folders train and val of pictures of shapes with masks in color."""
    source = load_source(
        Choice(
            type="shapes",
            params={"samples": 60, "noise": 0.0, "size": 25, "target": "mask", "classes": 3},
        )
    )
    values = source.read(range(60))
    image, mask = values["image"], values["mask"]
    assert isinstance(image, Tensor)
    assert isinstance(mask, Tensor)
    palette = torch.tensor([[0, 0, 0], [200, 0, 0]], dtype=torch.uint8)
    for number in range(60):
        folder = root / ("train" if number < 48 else "val")
        for name, pixels in (
            ("images", (image[number] * 255).byte().permute(1, 2, 0)),
            ("masks", palette[(mask[number] > 0).long()]),
        ):
            (folder / name).mkdir(parents=True, exist_ok=True)
            Image.fromarray(pixels.numpy()).save(folder / name / f"{number}.png")
    return root


def test_that_shapes_in_a_folder_are_found(run, tmp_path):
    folder = folder_of(tmp_path / "shapes")
    project = tmp_path / "project"
    assert run("new", project, "--data", folder).code == 0
    settings = ("epochs=9", "data.batch_size=8", "optimizer.lr=0.005", "threads=1")
    changes = [word for setting in settings for word in ("--set", setting)]
    metrics = run("train", project, "--mode", "thread", *changes, "--json").json()["metrics"]
    assert metrics["validation.iou"] > 0.8
    assert metrics["validation.dice"] > metrics["validation.iou"]
