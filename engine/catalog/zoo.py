"""Models of torchvision and their trained weights, as data: what can be chosen from without torch.
``tools/write_zoo.py`` writes the file.
"""

import re
from functools import cache
from pathlib import Path

import msgspec

from engine.decoding import decode_json

FILE = Path(__file__).parents[2] / "resources" / "catalog" / "zoo.json"

_HASH = re.compile(r"[-_]([0-9a-f]{8,})\.pth$")


class ZooWeights(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Trained weights of a model: the name in torchvision's enum and what its ``meta`` says.

    ``shape`` is the size of one sample as they were trained or tested with; ``metrics`` are by name
    with the dataset before it (``ImageNet-1K acc@1``, in percent); ``classes`` is 0 where there
    are none.
    """

    name: str
    url: str
    size_bytes: int
    shape: tuple[int, ...]
    metrics: dict[str, float] = {}
    classes: int = 0
    recipe: str = ""

    @property
    def file(self) -> str:
        """The name of the file."""
        return self.url.rpartition("/")[2]

    @property
    def digest(self) -> str:
        """How the sha256 of the file begins, as its name says; empty where it does not."""
        match = _HASH.search(self.url)
        return match[1] if match else ""


class ZooModel(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A model: its name, family (``ResNet``), what it is for, its parameters, the size of one
    sample, and its number of classes where that can be chosen (0: not).
    """

    name: str
    family: str
    task: str
    parameters: int
    shape: tuple[int, ...]
    classes: int = 0
    weights: tuple[ZooWeights, ...] = ()

    def find_weights(self, name: str) -> ZooWeights | None:
        """Return weights by their name."""
        return next((weights for weights in self.weights if weights.name == name), None)


@cache
def zoo(file: Path = FILE) -> dict[str, ZooModel]:
    """Return all models by name, in alphabetical order."""
    models = decode_json(file.read_bytes(), list[ZooModel])
    return {model.name: model for model in models}
