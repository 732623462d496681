"""A run on pictures of a folder keeps how they were normalised: whatever is done with its model
later does the same, also when the folder holds other pictures by then.
"""

import numpy as np
import pytest
import torch
from PIL import Image

from engine.data.load import statistics as statistics_module
from engine.data.load.load import load_data
from engine.data.source.registry import forget_sources
from engine.export.job import build_job
from engine.query.trained import open_trained
from engine.runs.folder import RunFolder
from engine.spec.run import Choice, DataSpec
from tests.tiny_run import CROSS_ENTROPY, chain, iris_spec, node, train

RANDOM = np.random.default_rng(5)


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Return a finished run on pictures of which there are others now, and its data then."""
    cache = tmp_path / "cache"
    cache.mkdir()
    monkeypatch.setattr(statistics_module, "cache_folder", lambda name: cache)
    photos = tmp_path / "photos"
    for name in ("a", "b"):
        (photos / name).mkdir(parents=True)
        for number in range(8):
            pixels = RANDOM.integers(0, 120, (8, 8, 3), dtype=np.uint8)
            Image.fromarray(pixels).save(photos / name / f"{number}.png")
    source = Choice(type="image_folder", params={"path": str(photos), "size": 8})
    data = DataSpec(source=source, normalization="standard", batch_size=4)
    graph = chain(
        node("Input", "image", field="image", shape=(3, 8, 8)),
        node("Flatten", "flat"),
        node("Linear", "head", out_features=2),
        node("Output", "logits"),
    )
    spec = iris_spec(data=data, losses=(CROSS_ENTROPY,), epochs=1)
    folder = RunFolder.create(tmp_path / "project", graph, spec)
    train(folder)
    scaling = load_data(data).scalings["image"]
    for name in ("a", "b"):
        for number in range(8):
            Image.new("RGB", (8, 8), "white").save(photos / name / f"white{number}.png")
    forget_sources()
    assert not torch.equal(load_data(data).scalings["image"].shift, scaling.shift)
    return folder, scaling


@pytest.mark.row("S145")
def test_that_a_model_is_asked_with_the_normalization_of_its_run(run):
    folder, scaling = run
    trained = open_trained(folder, "last").training.data.scalings["image"]
    assert torch.equal(trained.shift, scaling.shift)
    assert torch.equal(trained.scale, scaling.scale)


def test_that_a_model_is_exported_with_the_normalization_of_its_run(run):
    folder, scaling = run
    (exported,) = build_job(folder.path, "last")[0].scalings
    assert exported is not None
    assert torch.equal(exported.shift, scaling.shift)


def test_that_a_run_without_its_statistics_measures_them_of_the_samples_that_it_began_with(run):
    folder, scaling = run
    (folder.artefacts / "normalization.json").write_text("[")
    found = open_trained(folder, "last").training.data.scalings["image"]
    assert torch.allclose(found.shift, scaling.shift)
    assert torch.allclose(found.scale, scaling.scale)
