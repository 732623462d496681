"""Metrics of masks are those of all pixels of a part, whatever the batches and processes."""

import numpy as np
import pytest
import torch
from torch import Tensor

from engine.spec.data import IGNORED, FieldInfo
from tests.engine.train.test_metrics import Two, measured, meter_for

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
    return {
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
