"""The class that trains itself measures masks as the run does: over all pixels of all batches."""

import json

import pytest
import torch

from engine.export.job import build_job
from engine.export.training_file import write_training_class
from engine.spec.data import IGNORED
from engine.spec.run import CheckpointSpec, Choice, DataSpec, LossTerm
from engine.train.training import build_training
from tests.tiny_run import chain, make_run, node, train

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
history = model.fit(batches, epochs=2, validation=batches)
assert history[1]["loss"] < history[0]["loss"]
"""


@pytest.mark.real
def test_that_an_exported_class_counts_pixels_over_all_batches(tmp_path, plain_python):
    graph = chain(
        node("Input", "image", field="image", shape=(3, 12, 12)),
        node("Conv2d", "conv", out_channels=4, kernel_size=3, padding=1),
        node("Output", "scores"),
    )
    inputs = {"input": "model.scores", "target": "data.mask"}
    source = Choice(
        type="shapes", params={"samples": 40, "size": 12, "target": "mask", "classes": 3}
    )
    run = make_run(
        tmp_path,
        graph,
        data=DataSpec(source=source, batch_size=8),
        losses=(LossTerm(loss=Choice(type="CrossEntropyLoss"), inputs=inputs),),
        scheduler=Choice(type="ReduceLROnPlateau"),
        checkpoint=CheckpointSpec(monitor="validation.iou"),
        epochs=1,
    )
    state = train(run)
    assert state.problem is None
    job, _ = build_job(run.path, "last")
    write_training_class(job, tmp_path / "net.py")
    training = build_training(job.graph, job.spec, job.module)
    batches = [dict(batch) for batch in training.epoch_batches(0, 0)]
    for number, batch in enumerate(batches):
        batch["mask"] = batch["mask"].clone()
        batch["mask"][:, :number] = IGNORED  # each batch counts other numbers of pixels
    torch.save(batches, tmp_path / "batches.pt")
    found = json.loads(plain_python.output(CODE, folder=tmp_path))
    meter = training.new_meter()
    with torch.no_grad():
        for batch in batches:
            meter.observe(job.module(batch["image"]), batch)
    expected = meter.compute()
    assert found["metric"] == pytest.approx(expected["iou"], abs=1e-6)
    assert found["dice"] == pytest.approx(expected["dice"], abs=1e-6)
    assert found["accuracy"] == pytest.approx(expected["accuracy"], abs=1e-6)
