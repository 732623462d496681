"""Features that models of boxes look at: convolutions, and their last sizes joined."""

import math
from typing import NamedTuple

from engine.catalog.spec import Value
from engine.graph.draft import Draft, sequential
from engine.graph.model import Block, Node
from engine.spec.data import FieldInfo
from engine.spec.proposal import ModelSize

_CHANNELS = {"small": 16, "large": 32}
_FEATURES = {"small": 48, "large": 96}
_LEVELS = {"small": 2, "large": 3}
_COARSEST = 8  # cells of the last level, at least
_FINEST = 2  # halvings before the first level, at least
_MEAN, _STD = 0.5, 0.25  # of colors, about


class Backbone(NamedTuple):
    """``blocks`` with ``Pyramid`` among them, which gives features of ``width`` channels at some
    ``levels``, the finest first; ``cells`` are the pixels from point to point of each, ``scaling``
    the settings of the pictures before it.
    """

    blocks: dict[str, Block]
    levels: int
    width: int
    cells: tuple[int, ...]
    scaling: dict[str, Value]

    def scaled(self) -> Node:
        """Return the node that scales the pictures."""
        kind = "code.pictures.scaled_pictures"
        return Node(id="scaled", type=kind, name="scaled", params=self.scaling)


def box_backbone(field: FieldInfo, size: ModelSize) -> Backbone:
    """Return features for pictures (channels, height, width): at two or three sizes, the coarse
    ones added to the finer.
    """
    height, width = field.shape[1:]
    halvings = max(_FINEST, int(math.log2(max(min(height, width) / _COARSEST, 1))))
    levels = min(_LEVELS[size], halvings - _FINEST + 1)
    first = halvings - levels + 1
    channels = [min(_CHANNELS[size] << step, 4 * _CHANNELS[size]) for step in range(halvings)]
    blocks = {f"Halved{each}": _halved(each) for each in sorted(set(channels))}
    blocks["Pyramid"] = _pyramid(blocks, channels, levels, _FEATURES[size])
    scaling: dict[str, Value] = {
        "min_size": min(height, width),
        "max_size": max(height, width),
        "size_divisible": 1 << halvings,
        "mean": (_MEAN,) * field.shape[0],
        "std": (_STD,) * field.shape[0],
    }
    cells = tuple(1 << (first + level) for level in range(levels))
    return Backbone(blocks, levels, _FEATURES[size], cells, scaling)


def _numbers(levels: int) -> range:
    return range(1, levels + 1)


def _pyramid(blocks: dict[str, Block], channels: list[int], levels: int, width: int) -> Block:
    """Return features of one width at the last sizes of the pictures, the coarser ones added to
    the finer; the finest come first.
    """
    draft = Draft(blocks).put("picture", "BlockInput")
    for number, each in enumerate(channels, 1):
        draft.put(f"down{number}", f"block.Halved{each}")
    above = ""
    for level in reversed(_numbers(levels)):
        down = f"down{len(channels) - levels + level}"
        draft.put(f"lateral{level}", "Conv2d", after=down, out_channels=width, kernel_size=1)
        if above:
            draft.put(f"up{level}", "Upsample", after=above, scale_factor=2.0)
            ports = {"input": f"lateral{level}", "other": f"up{level}"}
            draft.put(f"sum{level}", "add", after=ports)
        above = f"sum{level}" if above else f"lateral{level}"
    for level in _numbers(levels):
        last = f"lateral{level}" if level == levels else f"sum{level}"
        draft.put(f"features{level}", "BlockOutput", after=last)
    return draft.block("Features at each size; the coarse ones see far, the fine ones sharply.")


def _halved(channels: int) -> Block:
    """Return a convolution at half the size and one more."""
    convolution: dict[str, Value] = {"out_channels": channels, "kernel_size": 3, "padding": 1}
    return sequential(
        ("conv1", "Conv2d", {**convolution, "stride": 2, "bias": False}),
        ("norm1", "BatchNorm2d", {}),
        ("relu1", "ReLU", {}),
        ("conv2", "Conv2d", {**convolution, "bias": False}),
        ("norm2", "BatchNorm2d", {}),
        ("relu2", "ReLU", {}),
        note="Two convolutions of three by three, of which the first halves the picture.",
    )
