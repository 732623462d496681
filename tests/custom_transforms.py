"""Transforms of the user's own code, for tests."""

from engine.custom.trust import set_trust
from engine.spec.transform import TransformSpec

TEXT = '''"""Transforms of mine."""
import random

import numpy as np
import torch
from torch import Tensor, nn
from torchvision.transforms import v2

STEP = 0.25


def brighten(image: Tensor, strength: float = 0.1) -> Tensor:
    """Make a picture brighter.

    strength: what is added
    """
    image += strength  # in place, as many do
    return image.clamp(0, 1)


def shift(image, most: int = 2):
    """Move a picture by chance."""
    across = random.randint(-most, most)
    image = image.roll(across, -1) + torch.rand(()) * STEP
    return image.numpy().astype(np.float64) + np.random.rand() * STEP


def mirrored(sample: dict[str, Tensor], share: float = 0.5) -> dict[str, Tensor]:
    """Turn a picture around by chance."""
    if torch.rand(()) < share:
        sample["image"] = sample["image"].flip(-1)
    return sample


def broken(image):
    """Fail."""
    scaled = image * 2
    raise ValueError(f"no pictures of {tuple(scaled.shape)}")


def lost(image):
    """Forget to give something back."""
    image * 2


class Blur(nn.Module):
    """Blur a picture."""

    def __init__(self, size: int = 3):
        super().__init__()
        self.pool = nn.AvgPool2d(size, 1, size // 2)

    def forward(self, image):
        return self.pool(image[None])[0]


class Invert(v2.Transform):
    """Make what is dark bright."""

    def __init__(self, highest: float = 1.0):
        super().__init__()
        self.highest = highest

    def transform(self, inpt, params):
        return self.highest - inpt


class Clip:
    """Keep values in a range."""

    def __init__(self, low: float, high: float = 1.0):
        self.low, self.high = low, high

    def __call__(self, image):
        return image.clamp(self.low, self.high)
'''
CODE = {"aug.py": TEXT}
set_trust(CODE, trusted=True)


def own(name: str, parts: str = "all", field: str = "", **params: object) -> TransformSpec:
    """Return a transform of :data:`TEXT`."""
    return TransformSpec(type=f"code.aug.{name}", parts=parts, field=field, params=params)  # type: ignore[arg-type]


FIXED = (own("brighten", strength=0.2), own("Blur"), own("Invert"), own("Clip", low=0.1))
RANDOM = (own("shift", "train", most=1),)
