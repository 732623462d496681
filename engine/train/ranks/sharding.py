"""A run whose weights are dealt out: PyTorch's ``fully_shard`` (FSDP2).

Each process keeps a part of every weight, of its gradient and of the optimizer's state. A layer is
whole only while it computes: its parts are gathered before, and its gradients are averaged and
dealt out again after. Every process has to go forward as often as the others.
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

from engine.diagnostics import Diagnostic, DiagnosticError
from engine.runs.process.agent import Agent
from engine.train.archive.shards import Content, dealt_out, read_back, write_part
from engine.train.ranks.world import Group, Orders, Task

_OWN_PART = 1 << 16
"""Parameters from which on a layer is gathered by itself; smaller ones are gathered together."""


class ShardedGroup(Group):
    """Several processes that hold a model together. It is built whole and on the CPU by each, then
    :meth:`share_out` deals it out, layer by layer, onto their devices.
    """

    is_sharded = True

    def __init__(self, folder: Path, starter: Agent, patience_s: float) -> None:
        super().__init__(folder, starter, patience_s)
        self._kept: Callable[[], Content] | None = None

    @override
    def place(self, model: nn.Module, device: torch.device) -> nn.Module:
        del device
        return model

    @override
    def wrap(self, model: nn.Module, *, is_fixed: bool) -> nn.Module:
        del is_fixed
        return model

    @override
    def share_out(self, model: nn.Module, optimizer: Optimizer, device: torch.device) -> None:
        """Deal out the weights and the state of the optimizer, which refers to them from then on.

        Raises :class:`DiagnosticError` R203 for a model that cannot be dealt out.
        """
        self.doing = "fully_shard"
        before = dict(model.named_parameters())
        mesh = init_device_mesh(device.type, (self.size,))
        try:
            for part in [*_parts(model), model]:
                fully_shard(part, mesh=mesh, reshard_after_forward=True)
        except (ValueError, NotImplementedError, RuntimeError, AssertionError) as error:
            raise DiagnosticError(Diagnostic(code="R203", detail=str(error))) from error
        model.to(device)  # buffers of layers without weights
        after = dict(model.named_parameters())
        _refer(optimizer, {value: after[name] for name, value in before.items()})
        self._kept = lambda: {"model": model.state_dict(), "optimizer": optimizer.state_dict()}

    @override
    def own(self, value: Tensor) -> Tensor:
        return value.to_local() if isinstance(value, DTensor) else value

    @override
    def whole(self, value: Tensor) -> Tensor:
        return value.full_tensor() if isinstance(value, DTensor) else value

    @override
    def agree(self, *, holds: bool) -> bool:
        self._ask(Orders(task=Task.CHECK))
        return not self.sums([not holds])[0]

    @override
    def keep(self, path: Path, content: Content) -> Content:
        """Write the weights beside a checkpoint, each process its part; return what is left.

        Raises :class:`DiagnosticError` where one of them could not write.
        """
        places, tensors = dealt_out(content)
        if not tensors:
            return content
        self._ask(Orders(task=Task.KEEP, folder=str(path)))
        self.doing = "checkpoint"
        write_part(path, tensors, self.rank, self.gather)
        return read_back(path, content, places)

    @override
    def help_keep(self, orders: Orders) -> None:
        assert self._kept is not None
        _, tensors = dealt_out(self._kept())
        write_part(Path(orders.folder), tensors, self.rank, self.gather)

    @override
    def _numbers(self) -> tuple[float, float, float]:
        _, speed, waited = super()._numbers()
        return 0.0, speed, waited  # nobody has the whole weights

    def _ask(self, orders: Orders) -> None:
        """Have the others take part in what this process begins."""
        if self.rank == 0:
            self.tell(orders)


def _parts(model: nn.Module) -> list[nn.Module]:
    """Return the layers and blocks that are worth gathering by themselves. Of a model that uses a
    weight in two places there are none: all of it is gathered at once.
    """
    names = [name for name, _ in model.named_parameters(remove_duplicate=False)]
    if len(names) != len(list(model.parameters())):
        return []
    found: list[nn.Module] = []
    waiting = list(model.children())
    while waiting:
        part = waiting.pop(0)
        if isinstance(part, nn.ModuleList | nn.ModuleDict):  # they do not compute themselves
            waiting.extend(part.children())
        elif sum(weight.numel() for weight in part.parameters()) >= _OWN_PART:
            found.append(part)
    return found


def _refer(optimizer: Optimizer, renewed: dict[Tensor, nn.Parameter]) -> None:
    """Let an optimizer go on with the parts of its weights, and of what it knows of each."""
    for group in optimizer.param_groups:
        group["params"] = [renewed[weight] for weight in group["params"]]
    state: defaultdict[Tensor, dict[str, object]] = defaultdict(dict)
    for weight, known in optimizer.state.items():
        state[renewed[weight]] = {
            name: _like(value, weight, renewed[weight]) for name, value in known.items()
        }
    optimizer.state = state


def _like(value: object, weight: Tensor, part: Tensor) -> object:
    """Return this process's part of a value that an optimizer keeps for each number of a weight."""
    if not isinstance(value, Tensor) or value.shape != weight.shape or not value.dim():
        return value
    assert isinstance(part, DTensor)
    mesh = part.device_mesh
    return distribute_tensor(value.to(part.device), mesh, [Shard(0)], src_data_rank=None)
