"""Fake quantization: layers that compute as if their weights and inputs were whole numbers.

What stands here is written into exported training code as it is.
"""

from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from functools import partial

import torch
from torch import Tensor, nn
from torch.nn import functional

QUANTIZED = (nn.Linear, nn.Conv1d, nn.Conv2d, nn.Conv3d)
"""The layers that can compute so."""
FUSED = (nn.TransformerEncoderLayer, nn.MultiheadAttention)
"""Layers that take the weights of those inside without calling them."""
INPUT_LEVELS = 255
"""The largest whole number of an input, from 0 (8 bits)."""
SMALLEST = 1e-12


Layer = nn.Linear | nn.Conv1d | nn.Conv2d | nn.Conv3d


def quantized_layers(model: nn.Module, skip: Sequence[str] = ()) -> dict[str, Layer]:
    """Return the linear and convolution layers of a model by name, but for those that patterns
    name: ``head``, ``encoder.0`` or ``*.proj``.
    """
    fused = [name for name, module in model.named_modules() if isinstance(module, FUSED)]
    left_out = [*skip, *fused]
    return {
        name: module
        for name, module in model.named_modules()
        if isinstance(module, QUANTIZED)
        and type(module) in QUANTIZED
        and not any(fnmatchcase(name, each) or name.startswith(f"{each}.") for each in left_out)
    }


def weight_scales(weight: Tensor, bits: int) -> Tensor:
    """Return what a step of the whole numbers is worth, for each output channel (float32)."""
    largest = weight.detach().abs().amax(dim=tuple(range(1, weight.dim())))
    return largest.float().clamp(min=SMALLEST) / (2 ** (bits - 1) - 1)


def quantized_weight(weight: Tensor, bits: int) -> Tensor:
    """Return a weight rounded to whole multiples of its scales; gradients pass through it."""
    scales, most = weight_scales(weight, bits), 2 ** (bits - 1) - 1
    zeros = torch.zeros_like(scales, dtype=torch.int32)
    return torch.fake_quantize_per_channel_affine(weight, scales, zeros, 0, -most, most)


def extremes(seen: Sequence[Tensor]) -> Sequence[Tensor]:
    """Return the lowest and highest of what a layer was given: of one call as they are."""
    if len(seen) <= 2:
        return seen
    return torch.stack([*seen[::2]]).amin(), torch.stack([*seen[1::2]]).amax()


class FakeQuantization:
    """Has the layers of a model compute in quantized numbers; their parameters stay as they are.

    Weights have ``bits``, evenly around 0, with a scale for each output channel. With
    ``activations`` also what a layer is given is quantized, to 8 bits, over a range that follows
    what the layer sees in training: :meth:`update` moves it by the share ``rate``. A layer without
    a range yet takes its input as it is.
    """

    def __init__(
        self,
        model: nn.Module,
        *,
        bits: int = 8,
        activations: bool = True,
        rate: float = 0.01,
        skip: Sequence[str] = (),
    ) -> None:
        self.layers = quantized_layers(model, skip)
        self.bits, self.activations, self.rate = bits, activations, rate
        self.is_on = self.is_observing = True
        weights = [layer.get_parameter("weight") for layer in self.layers.values()]
        device = weights[0].device if weights else torch.device("cpu")
        self.ranges = torch.zeros(len(weights), 2, device=device)  # of each: -lowest, highest
        self.signs = torch.tensor([-1.0, 1.0], device=device)
        self.seen: list[list[Tensor]] = []  # since the last update: lowest, highest, lowest, ...
        self.forget()
        self.known = [False] * len(weights)
        self.scales, self.zeros = self.steps()
        for index, layer in enumerate(self.layers.values()):
            layer.forward = partial(self.forward, layer, index)  # pyright: ignore[reportAttributeAccessIssue] - the name of what is given

    def __deepcopy__(self, memo: dict[int, object]) -> "FakeQuantization":
        """Return itself: a copy of the model, such as an average, has the same ranges."""
        return self

    def forward(self, layer: Layer, index: int, given: Tensor) -> Tensor:
        """Return the output of a layer for what it is given."""
        if self.activations and self.is_observing and layer.training and given.numel():
            self.seen[index] += given.detach().aminmax()
        if self.is_on and self.known[index]:
            given = torch.fake_quantize_per_tensor_affine(
                given,
                self.scales[index].to(given.device),
                self.zeros[index].to(given.device),
                0,
                INPUT_LEVELS,
            )
        weight, bias = layer.weight, layer.bias
        if self.is_on:
            weight = quantized_weight(weight, self.bits)
        if isinstance(layer, nn.Linear):
            return functional.linear(given, weight, bias)
        return layer._conv_forward(given, weight, bias)  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] - its padding, too

    def update(self) -> None:
        """Move the ranges toward what the layers were given since the last time. Of several
        processes all come here.
        """
        if not self.activations or not self.is_observing:
            return
        none = torch.zeros(2, device=self.ranges.device).unbind()
        ends = [each.to(none[0]) for one in self.seen for each in extremes(one) or none]
        seen = torch.stack(ends).reshape(-1, 2) * self.signs
        seen = seen.clamp(min=0)  # 0 is in every range
        if torch.distributed.is_available() and torch.distributed.is_initialized():
            torch.distributed.all_reduce(seen, torch.distributed.ReduceOp.MAX)
        moved = torch.lerp(self.ranges, seen, self.rate)
        if not all(self.known):
            known = torch.tensor(self.known, device=moved.device)[:, None]
            moved = torch.where(known, moved, seen)
        kept, called = moved.isfinite(), [bool(one) for one in self.seen]
        if not all(called):
            kept &= torch.tensor(called, device=moved.device)[:, None]
        self.ranges = torch.where(kept, moved, self.ranges)
        self.known = [one or other for one, other in zip(self.known, called, strict=True)]
        self.scales, self.zeros = self.steps()
        self.forget()

    def forget(self) -> None:
        """Leave out what the layers were given since the last update."""
        self.seen = [[] for _ in self.layers]

    def steps(self) -> tuple[Tensor, Tensor]:
        """Return the scale of each layer's inputs, and the whole number that stands for 0."""
        scales = (self.ranges.sum(1) / INPUT_LEVELS).clamp(min=SMALLEST)
        return scales, (self.ranges[:, 0] / scales).round().int()

    def state_dict(self) -> dict[str, object]:
        """Return what :meth:`restore` takes."""
        rows = zip(self.layers, self.ranges.tolist(), self.known, strict=True)
        ranges = {name: (-low, high) for name, (low, high), is_known in rows if is_known}
        return {
            "ranges": ranges,
            "is_on": self.is_on,
            "is_observing": self.is_observing,
            "bits": self.bits,
        }

    def restore(
        self,
        ranges: Mapping[str, tuple[float, float]],
        *,
        is_on: bool,
        is_observing: bool,
        bits: int | None = None,
    ) -> None:
        """Go on with the lowest and highest input of each layer that has a range, and with other
        bits where these are given.
        """
        self.is_on, self.is_observing = is_on, is_observing
        self.bits = self.bits if bits is None else bits
        self.known = [name in ranges for name in self.layers]
        rows = [ranges.get(name, (0.0, 0.0)) for name in self.layers]
        values = [(-low, high) for low, high in rows]
        self.ranges = torch.tensor(values, device=self.ranges.device).reshape(-1, 2)
        self.scales, self.zeros = self.steps()
        self.forget()
