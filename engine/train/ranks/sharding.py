"""Sharded weights: PyTorch's ``fully_shard`` (FSDP2).

Each rank keeps a shard of every weight, of its gradient and of the optimizer's state. A layer is
whole only while it computes: its shards are gathered before, and its gradients are averaged and
scattered after. So every rank has to go forward as often as the others.
"""

from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

import torch
from torch import Tensor, nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor import DTensor, Shard, distribute_tensor
from torch.optim import Optimizer
from typing_extensions import override

from engine.archive.shards import Content, read_back, sharded_tensors, write_shard
from engine.diagnostics import DiagnosticError
from engine.runs.process.agent import Agent
from engine.train.ranks.world import Group, Orders, Task

_GATHERED_ALONE = 1 << 16
"""Parameters from which on a layer is gathered by itself; smaller ones are gathered together."""


class ShardedGroup(Group):
    """Several processes that hold a model together. Each builds it whole on the CPU, then
    :meth:`shard` moves its shards, layer by layer, to their devices.
    """

    is_sharded = True

    def __init__(self, folder: Path, starter: Agent, patience_s: float) -> None:
        super().__init__(folder, starter, patience_s)
        self._state: Callable[[], Content] | None = None

    @override
    def place(self, model: nn.Module, device: torch.device) -> nn.Module:
        del device
        return model

    @override
    def wrap(self, model: nn.Module, *, is_fixed: bool) -> nn.Module:
        del is_fixed
        return model

    @override
    def shard(self, model: nn.Module, optimizer: Optimizer, device: torch.device) -> None:
        """Shard the weights and the state of the optimizer, which refers to the shards from then
        on.

        Raises :class:`DiagnosticError` R203 for a model that cannot be sharded.
        """
        self.collective = "fully_shard"
        whole = dict(model.named_parameters())
        mesh = init_device_mesh(device.type, (self.size,))
        try:
            for module in [*_gathered_alone(model), model]:
                fully_shard(module, mesh=mesh, reshard_after_forward=True)
        except (ValueError, NotImplementedError, RuntimeError, AssertionError) as error:
            raise DiagnosticError.of("R203", detail=str(error)) from error
        model.to(device)  # buffers of layers without weights
        shards = dict(model.named_parameters())
        _refer(optimizer, {weight: shards[name] for name, weight in whole.items()})
        self._state = lambda: {"model": model.state_dict(), "optimizer": optimizer.state_dict()}

    @override
    def to_local(self, value: Tensor) -> Tensor:
        return value.to_local() if isinstance(value, DTensor) else value

    @override
    def full_tensor(self, value: Tensor) -> Tensor:
        return value.full_tensor() if isinstance(value, DTensor) else value

    @override
    def agree(self, *, holds: bool) -> bool:
        self._request(Orders(task=Task.CHECK))
        return not self.all_reduce([not holds])[0]

    @override
    def save_shards(self, path: Path, content: Content) -> Content:
        """Write the weights beside a checkpoint, each rank its shards; return the rest of it.

        Raises :class:`DiagnosticError` where one of them could not write.
        """
        paths, tensors = sharded_tensors(content)
        if not tensors:
            return content
        self._request(Orders(task=Task.SAVE, folder=str(path)))
        self.collective = "checkpoint"
        write_shard(path, tensors, self.rank, self.gather)
        return read_back(path, content, paths)

    @override
    def save_local_shards(self, orders: Orders) -> None:
        assert self._state is not None
        _, tensors = sharded_tensors(self._state())
        write_shard(Path(orders.folder), tensors, self.rank, self.gather)

    @override
    def _figures(self) -> tuple[float, float, float]:
        _, speed, waited = super()._figures()
        return 0.0, speed, waited  # no rank has whole weights to compare

    def _request(self, orders: Orders) -> None:
        """Have the other ranks take part in a collective that rank 0 begins."""
        if self.rank == 0:
            self.broadcast(orders, Orders)


def _gathered_alone(model: nn.Module) -> list[nn.Module]:
    """Return the layers and blocks that are large enough to be gathered by themselves. In a model
    with tied weights there are none: all of it is gathered at once.
    """
    names = [name for name, _ in model.named_parameters(remove_duplicate=False)]
    if len(names) != len(list(model.parameters())):
        return []
    modules: list[nn.Module] = []
    queue = list(model.children())
    while queue:
        module = queue.pop(0)
        if isinstance(module, nn.ModuleList | nn.ModuleDict):  # they have no forward
            queue.extend(module.children())
        elif sum(weight.numel() for weight in module.parameters()) >= _GATHERED_ALONE:
            modules.append(module)
    return modules


def _refer(optimizer: Optimizer, shards: dict[Tensor, nn.Parameter]) -> None:
    """Replace the weights of an optimizer, and its state of each, by shards."""
    for group in optimizer.param_groups:
        group["params"] = [shards[weight] for weight in group["params"]]
    state: defaultdict[Tensor, dict[str, object]] = defaultdict(dict)
    for weight, values in optimizer.state.items():
        state[shards[weight]] = {
            name: _sharded(value, weight, shards[weight]) for name, value in values.items()
        }
    optimizer.state = state


def _sharded(value: object, weight: Tensor, shard: Tensor) -> object:
    """Return this rank's shard of a value that an optimizer keeps for each number of a weight."""
    if not isinstance(value, Tensor) or value.shape != weight.shape or not value.dim():
        return value
    assert isinstance(shard, DTensor)
    mesh = shard.device_mesh
    return distribute_tensor(value.to(shard.device), mesh, [Shard(0)], src_data_rank=None)
