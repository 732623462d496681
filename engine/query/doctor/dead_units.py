"""Units that an activation silences: those that it makes zero for every sample it sees."""

import inspect
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils._python_dispatch import TorchDispatchMode
from typing_extensions import override

from engine.graph.block import SEPARATOR, place_name
from engine.inspect.node_path import NodePaths
from engine.inspect.origin import Origin, frame_origin
from engine.query.doctor.evidence import Units

_ATEN = torch.ops.aten
_CUTTING = {
    *(_ATEN.relu, _ATEN.relu_),
    *(_ATEN.threshold, _ATEN.threshold_),
    *(_ATEN.hardswish, _ATEN.hardswish_),
}
_BOUNDED = {  # where the lower bound is zero; ReLU6 is a hardtanh
    *(_ATEN.hardtanh, _ATEN.hardtanh_),
    *(_ATEN.clamp, _ATEN.clamp_),
    *(_ATEN.clamp_min, _ATEN.clamp_min_),
}
_CHANNELS_FIRST = (2, 4, 5)  # axes; in a sequence (three) the channels come last


class DeadUnits(TorchDispatchMode):
    """Listens to every operator while it is entered, whether a module, a node or own code calls it:
    ``relu`` and what else is zero for all that is negative.
    """

    def __init__(self, model: nn.Module, node_paths: NodePaths) -> None:
        super().__init__()
        self._node_paths = node_paths
        self._names = {id(part): name for name, part in model.named_modules()}
        self._file = type(model).forward.__code__.co_filename
        self._alive: dict[tuple[str, int], Tensor] = {}

    def units(self) -> tuple[Units, ...]:
        """Return what was silent for all that was seen, by module or node."""
        names = dict.fromkeys(name for name, _ in self._alive)
        return tuple(_units(name, self._of(name)) for name in names)

    @override
    def __torch_dispatch__(
        self, func: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        output = func(*args, **(kwargs or {}))
        if _is_cutting(func, args) and output.ndim > 1:
            origin = frame_origin(inspect.currentframe(), self._names, self._file)
            if origin is not None:
                self._note(self._name(origin), output)
        return output

    def _note(self, name: str, output: Tensor) -> None:
        """Keep which units of an output are not zero everywhere; calls of another width, as of a
        module that several layers share, count apart.
        """
        axis = 1 if output.ndim in _CHANNELS_FIRST else -1
        alive = (output.movedim(axis, -1).flatten(0, -2) > 0).any(dim=0)
        key = name, len(alive)
        self._alive[key] = self._alive[key] | alive if key in self._alive else alive

    def _of(self, name: str) -> Tensor:
        return torch.cat([alive for (owner, _), alive in self._alive.items() if owner == name])

    def _name(self, origin: Origin) -> str:
        """Return the module that called; the node, by its names, where the model itself did."""
        if not origin.steps or origin.module != origin.steps[-1][0]:
            return origin.module
        path = place_name(self._node_paths.graph, self._node_paths.path(origin))
        return path.replace(SEPARATOR, ".") or origin.module


def _is_cutting(func: Any, args: Any) -> bool:
    packet = func.overloadpacket
    if packet in _BOUNDED:
        low = args[1] if len(args) > 1 else None
        return isinstance(low, int | float) and low == 0
    return packet in _CUTTING


def _units(name: str, alive: Tensor) -> Units:
    return Units(module=name, silent=int((~alive).sum()), total=alive.numel())
