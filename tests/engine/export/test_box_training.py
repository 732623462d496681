"""The class that trains itself learns boxes by the loss that ships with the program."""

import json

import pytest
import torch

from engine.export.job import build_job
from engine.export.training_file import write_training_class
from engine.train.training import build_training
from tests.engine.export.test_write import run_plain
from tests.engine.query.results.test_boxes import run

__all__ = ["run"]  # a fixture

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
history = model.fit(batches, epochs=1)
assert history[0]["metric"] != history[0]["metric"]  # nothing is found in training
"""


@pytest.mark.real
def test_that_an_exported_detector_has_loss_and_map_of_the_run(run, tmp_path):
    job, _ = build_job(run.path, "last")
    write_training_class(job, tmp_path / "net.py")
    training = build_training(job.graph, job.spec, job.module)
    batches = [dict(batch) for batch in training.epoch_batches(0, 0)]
    torch.save(batches, tmp_path / "batches.pt")
    told = json.loads(run_plain(CODE, folder=tmp_path))
    expected = training.new_meter()
    training.model.eval()
    with torch.no_grad():
        for batch in batches:
            outputs = training.model(*[batch[name] for name in training.input_fields])
            loss, _ = training.loss(outputs, batch)
            expected.add_loss(loss.item(), len(batch["image"]))
            expected.observe(outputs, batch)
    values = expected.compute()
    assert told["loss"] == pytest.approx(values["loss"], abs=1e-5)
    assert 0.05 < values["map"] < 0.999
    assert told["metric"] == pytest.approx(values["map"], abs=1e-6)
    assert told["map_50"] == pytest.approx(values["map_50"], abs=1e-6)
