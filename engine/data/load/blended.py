"""Part whose batches are blended: MixUp and CutMix in training."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import torch
from torch import Tensor
from typing_extensions import override

from engine.data.load.part import Batch, BatchIndex, PartData
from engine.data.transform.batch import BatchTransforms, Blend


@dataclass(frozen=True)
class BlendedPart(PartData):
    """Part whose images, labels and other targets are blended with those of the sample before in
    the batch. Class numbers (samples,) become probabilities (samples, classes).
    """

    part: PartData
    transforms: BatchTransforms
    converts: Mapping[str, Callable[[Tensor], Tensor]] = field(
        default_factory=dict[str, Callable[[Tensor], Tensor]]
    )

    @property
    @override
    def names(self) -> tuple[str, ...]:
        return self.part.names

    @override
    def __len__(self) -> int:
        return len(self.part)

    @override
    def form(self, name: str) -> Tensor:
        form = self.part.form(name)
        return self._probabilities(name, form) if name in self.transforms.classes else form

    @override
    def batch(self, index: BatchIndex) -> Batch:
        count = len(index.positions)
        rows = index.local
        if rows is None:
            values = self.part.batch(index)
            others = {name: each.roll(1, 0) for name, each in values.items()}
        else:
            before = (rows - 1) % count
            needed = torch.unique(torch.cat((rows, before)))
            read = self.part.batch(index._replace(local=needed))
            values, others = (
                {name: each[torch.searchsorted(needed, wanted)] for name, each in read.items()}
                for wanted in (rows, before)
            )
        images = [name for name in self.transforms.images if name in values]
        shapes = {name: self.part.form(name).shape[1:] for name in self.transforms.images}
        blend = self.transforms.draw(shapes, index.seed, index.epoch, index.number)
        blended = {name: blend.images(values[name], others[name]) for name in images}
        return {**values, **blended, **self._targets(blend, values, others)}

    @override
    def placed(
        self, names: Sequence[str], convert: Callable[[Tensor], Tensor], device: torch.device | None
    ) -> "BlendedPart":
        converts = dict.fromkeys(self.transforms.classes, convert)
        return replace(self, part=self.part.placed(names, convert, device), converts=converts)

    @property
    @override
    def nbytes(self) -> int:
        return self.part.nbytes

    def _targets(self, blend: Blend, values: Batch, others: Batch) -> Batch:
        targets: Batch = {}
        for name in self.transforms.classes:
            if name in values:
                pair = [self._probabilities(name, each[name]) for each in (values, others)]
                targets[name] = blend.numbers(*pair)
        for name in self.transforms.numbers:
            if name in values:
                targets[name] = blend.numbers(values[name], others[name])
        return targets

    def _probabilities(self, name: str, labels: Tensor) -> Tensor:
        convert = self.converts.get(name)
        values = self.transforms.probabilities(name, labels)
        return convert(values) if convert else values
