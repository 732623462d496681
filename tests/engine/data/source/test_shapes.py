"""Pictures of shapes: what the mask says is what can be seen."""

import torch

from engine.data.source.registry import load_source
from engine.spec.run import Choice


def test_that_shapes_are_brighter_than_the_ground_and_all_classes_occur():
    source = load_source(Choice(type="shapes", params={"samples": 60, "noise": 0.0, "size": 24}))
    values = source.read(range(60))
    image, mask = values["image"], values["mask"]
    assert isinstance(image, torch.Tensor)
    assert isinstance(mask, torch.Tensor)
    assert image.shape == (60, 3, 24, 24)
    assert mask.unique().tolist() == list(range(len(source.infos[1].classes)))
    brightness = image.amin(dim=1)
    assert float(brightness[mask > 0].mean()) > float(brightness[mask == 0].mean()) + 0.2
    assert float((brightness > 0.4)[mask == 0].float().mean()) < 0.1
