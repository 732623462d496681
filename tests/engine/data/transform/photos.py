"""A source of images that are read one by one, for tests of transforms."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from engine.data.source.source import Part, Source, Values
from engine.diagnostics import Diagnostic
from engine.spec.data import FieldInfo

CLASSES = ("cat", "dog", "owl")


@dataclass(frozen=True, kw_only=True)
class Photos(Source):
    """Images of whole numbers with a label; with ``varies`` each has a size of its own. ``target``
    adds a mask and boxes.
    """

    count: int = 24
    channels: int = 3
    varies: bool = True
    target: bool = False
    task = "classification"

    @property
    def infos(self) -> tuple[FieldInfo, ...]:
        size = (-1, -1) if self.varies else (20, 24)
        image = FieldInfo(
            name="photo", role="input", kind="image", shape=(self.channels, *size), dtype="uint8"
        )
        label = FieldInfo(
            name="label", role="target", kind="class", shape=(), dtype="int64", classes=CLASSES
        )
        if not self.target:
            return (image, label)
        mask = FieldInfo(name="mask", role="target", kind="mask", shape=size, dtype="int64")
        boxes = FieldInfo(name="boxes", role="target", kind="boxes", shape=(-1, 4), dtype="float32")
        return (image, label, mask, boxes)

    @property
    def samples(self) -> int:
        return self.count

    def read(self, indices: Sequence[int]) -> dict[str, Values]:
        samples = [self._sample(index) for index in indices]
        return {info.name: [sample[info.name] for sample in samples] for info in self.infos}

    def keys(self, indices: Sequence[int]) -> list[bytes]:
        return [str(index).encode() for index in indices]

    def check(self, indices: Mapping[Part, Tensor]) -> tuple[Diagnostic, ...]:
        return ()

    def _sample(self, index: int) -> dict[str, Tensor]:
        generator = torch.Generator().manual_seed(index)
        height = 20 + (index % 5 if self.varies else 0)
        width = 24 + (index % 3 if self.varies else 0)
        size = (self.channels, height, width)
        photo = torch.randint(0, 256, size, generator=generator, dtype=torch.uint8)
        return {
            "photo": photo,
            "label": torch.tensor(index % len(CLASSES)),
            "mask": photo[0].long() // 100,
            "boxes": torch.tensor([[2.0, 3.0, 10.0, 12.0]]),
        }
