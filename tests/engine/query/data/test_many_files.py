"""Folders with more pictures, and with more classes, than anybody looks at."""

from pathlib import Path

import pytest
import torch
from PIL import Image

from engine.data.load.load import load_data
from engine.data.load.loader import BatchPlan, PartLoader
from engine.query.data.answer import describe_data
from engine.query.data.proposal import propose_data
from engine.query.data.request import DescribeData, ProposeData

pytestmark = [pytest.mark.real, pytest.mark.fault("B10"), pytest.mark.timeout(3600)]


def pictures(folder: Path, files: int, classes: int) -> Path:
    """Make pictures of 4 x 4 in folders of classes, each of the value of its class."""
    contents: list[bytes] = []
    for value in range(256):
        Image.new("L", (4, 4), value).save(folder / "one.png")
        contents.append((folder / "one.png").read_bytes())
    (folder / "one.png").unlink()
    root = folder / "data"
    for number in range(classes):
        place = root / f"{number:06}"
        place.mkdir(parents=True)
        for copy in range(files // classes):
            (place / f"{copy}.png").write_bytes(contents[number % 256])
    return root


@pytest.mark.parametrize(
    ("files", "classes"),
    [
        (20_000, 10),
        (8_000, 2_000),
        pytest.param(1_000_000, 1_000, marks=pytest.mark.nightly),
        pytest.param(200_000, 100_000, marks=pytest.mark.nightly),
    ],
)
def test_that_a_folder_of_very_many_is_proposed_and_read(tmp_path, files, classes):
    root = pictures(tmp_path, files, classes)
    proposal = propose_data(ProposeData(path=str(root)))
    info = describe_data(DescribeData(data=proposal.spec.data))
    assert info.samples == sum(part.samples for part in info.splits) == files
    label = info.target
    assert label is not None
    assert len(label.classes) == classes
    data = load_data(proposal.spec.data)
    order = torch.tensor([0, len(data.training) - 1, len(data.training) // 2])
    loader = PartLoader(data.training, proposal.spec.data.loader)
    (batch,) = loader.batches(BatchPlan(order=order, size=3, seed=0, epoch=0))
    assert batch["image"].shape[:1] == (3,)
    assert batch["label"].max() < classes
