"""Metrics of masks are those of all pixels of a part, whatever the batches and processes."""

from pathlib import Path

import numpy as np
import pytest
import torch
from msgspec.structs import replace
from torch import Tensor

from engine.query.data.answer import describe_data
from engine.query.data.request import DescribeData
from engine.runs.record.state import RunStatus
from engine.spec.data import IGNORED, FieldInfo
from engine.spec.run import CheckpointSpec, Choice, DataSpec, LossTerm
from engine.spec.series import monitored_series
from tests.engine.train.test_metrics import Two, measured, meter_for
from tests.tiny_run import chain, curves, make_run, node, train

MASK = FieldInfo(
    name="mask",
    role="target",
    kind="mask",
    shape=(6, 5),
    dtype="int64",
    classes=("ground", "cat", "dog", "never"),
)
SAMPLES = 30


def scores() -> tuple[Tensor, Tensor]:
    """Return outputs and masks: the fourth class never occurs, some pixels have none."""
    generator = torch.Generator().manual_seed(1)
    mask = torch.randint(0, 3, (SAMPLES, 6, 5), generator=generator)
    outputs = torch.randn(SAMPLES, 4, 6, 5, generator=generator)
    outputs.scatter_add_(1, mask.unsqueeze(1), torch.full((SAMPLES, 1, 6, 5), 1.5))
    outputs[:, 3] = -9.0
    mask[:20, 0] = IGNORED  # not in equal shares of the batches
    return outputs, mask


def by_hand(outputs: Tensor, mask: Tensor) -> dict[str, float]:
    predicted, target = outputs.argmax(1).numpy(), mask.numpy()
    kept = target != IGNORED
    ious, dices = [], []
    for number in range(4):
        a, b = (predicted == number) & kept, (target == number) & kept
        if (a | b).any():
            ious.append((a & b).sum() / (a | b).sum())
            dices.append(2 * (a & b).sum() / (a.sum() + b.sum()))
    assert len(ious) == 3
    each = zip(MASK.classes, ious, strict=False)  # the last class never occurs
    return {f"iou.{name}": float(value) for name, value in each} | {
        "accuracy": float((predicted == target)[kept].mean()),
        "iou": float(np.mean(ious)),
        "dice": float(np.mean(dices)),
    }


def test_that_automatic_metrics_of_masks_are_those_counted_by_hand() -> None:
    outputs, mask = scores()
    values = measured(meter_for("CrossEntropyLoss", MASK), outputs, {"mask": mask})
    assert values == pytest.approx(by_hand(outputs, mask), abs=1e-6)


def test_that_batches_and_processes_make_no_difference() -> None:
    outputs, mask = scores()
    whole = meter_for("CrossEntropyLoss", MASK)
    whole.observe(outputs, {"mask": mask})
    shares = []
    for rows in torch.arange(SAMPLES).split(11):
        share = meter_for("CrossEntropyLoss", MASK)
        measured(share, outputs[rows], {"mask": mask[rows]})
        shares.append(share.state_dict())
    merged = meter_for("CrossEntropyLoss", MASK, world=Two(shares))
    assert merged.compute() == whole.compute()


def test_that_many_classes_have_curves_of_their_own_only_when_asked_for() -> None:
    classes = tuple(f"class {number}.x" for number in range(6))
    field = replace(MASK, classes=classes)
    mask = torch.zeros(4, 6, 5, dtype=torch.int64)
    mask[:, 0] = 5
    outputs = torch.zeros(4, 6, 6, 5)
    outputs[:, 5, :2] = 1.0  # a row of each picture more than there is
    assert set(measured(meter_for("CrossEntropyLoss", field), outputs, {"mask": mask})) == {
        "accuracy",
        "iou",
        "dice",
    }
    asked = meter_for("CrossEntropyLoss", field, ["class_iou"])
    assert measured(asked, outputs, {"mask": mask}) == {
        "iou.class 0.x": 20 / 25,
        "iou.class 5.x": 5 / 10,
    }


def test_that_the_best_checkpoint_goes_by_the_overlap_of_one_class(tmp_path: Path) -> None:
    source = Choice(
        type="shapes", params={"samples": 40, "size": 12, "target": "mask", "classes": 3}
    )
    graph = chain(
        node("Input", "image", field="image", shape=(3, 12, 12)),
        node("Conv2d", "hidden", out_channels=8, kernel_size=3, padding=1),
        node("ReLU", "act"),
        node("Conv2d", "head", out_channels=4, kernel_size=1),
        node("Output", "logits"),
    )
    loss = LossTerm(
        loss=Choice(type="CrossEntropyLoss"),
        inputs={"input": "model.logits", "target": "data.mask"},
    )
    info = describe_data(DescribeData(data=DataSpec(source=source)))
    field = info.field("mask")
    assert field is not None
    monitor = f"validation.iou.{field.classes[0]}"
    folder = make_run(
        tmp_path,
        graph,
        data=DataSpec(source=source, batch_size=4),
        losses=(loss,),
        epochs=6,
        optimizer=Choice(type="Adam", params={"lr": 0.02}),
        checkpoint=CheckpointSpec(monitor=monitor, mode="max"),
    )
    assert monitor in monitored_series(folder.document.spec, info)
    state = train(folder)
    assert state.status is RunStatus.FINISHED
    known = curves(folder)
    assert {f"validation.iou.{name}" for name in field.classes} & set(known) > {monitor}
    steps, values = known[monitor]
    assert state.best is not None
    assert state.best.step == steps[int(np.argmax(np.frombuffer(values)))]
