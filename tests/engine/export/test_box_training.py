"""The class that trains itself learns boxes, and masks of objects, with loss and mAP of the run."""

import json
from itertools import islice
from pathlib import Path

import pytest
import torch

from engine.export.job import build_job
from engine.export.training_file import write_training_class
from engine.runs.folder import RunFolder
from engine.train.devices import run_settings
from engine.train.training import build_training
from tests.engine.query.results.test_boxes import run
from tests.engine.query.results.test_instances import run as run_of_masks
from tests.plain_python import PlainPython

__all__ = ["run", "run_of_masks"]  # fixtures

BATCHES = 3
CODE = """
import json
import sys

import torch

sys.path.insert(0, ".")
import net

model = net.TrainableModel()
model.load_state_dict(torch.load("net.pt"))
batches = torch.load("batches.pt")
print(json.dumps(model.evaluate(batches)))
history = model.fit(batches[:1], epochs=1)
assert history[0]["metric"] != history[0]["metric"]  # nothing is found in training
"""


@pytest.mark.real
def test_that_an_exported_detector_has_loss_and_map_of_the_run(run, tmp_path, plain_python):
    told, values = told_and_expected(run, tmp_path, plain_python)
    assert told["loss"] == pytest.approx(values["loss"], abs=1e-5)
    assert 0.05 < values["map"] < 0.999
    assert told["metric"] == pytest.approx(values["map"], abs=1e-6)
    assert told["map_50"] == pytest.approx(values["map_50"], abs=1e-6)
    assert "mask_map" not in told


@pytest.mark.real
@pytest.mark.timeout(900)
def test_that_an_exported_mask_rcnn_has_both_map_of_the_run(run_of_masks, tmp_path, plain_python):
    told, values = told_and_expected(run_of_masks, tmp_path, plain_python)
    assert told["metric"] == pytest.approx(values["map"], abs=1e-6)
    assert 0.05 < values["mask_map"] < 0.999
    assert values["mask_map"] != values["map"]
    for name in ("mask_map", "mask_map_50"):
        assert told[name] == pytest.approx(values[name], abs=1e-6)


def told_and_expected(
    run: RunFolder, folder: Path, plain: PlainPython
) -> tuple[dict[str, float], dict[str, float]]:
    """Return what the exported class tells of some batches of an epoch, and what the run does."""
    job, _ = build_job(run.path, "last")
    write_training_class(job, folder / "net.py")
    with run_settings(job.spec):
        training = build_training(job.graph, job.spec, job.module)
        batches = [dict(batch) for batch in islice(training.epoch_batches(0, 0), BATCHES)]
        torch.save(batches, folder / "batches.pt")
        told = json.loads(plain.output(CODE, folder=folder))
        expected = training.new_meter()
        training.model.eval()
        with torch.no_grad():
            for batch in batches:
                outputs = training.model(*[batch[name] for name in training.input_fields])
                loss, _ = training.loss(outputs, batch)
                expected.add_loss(loss.item(), len(batch["image"]))
                expected.observe(outputs, batch)
    return told, expected.compute()
