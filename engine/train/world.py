"""The processes that train one run together, and what they tell each other.

Each takes its share of every batch; PyTorch's ``DistributedDataParallel`` averages the gradients.
The first process (rank 0) drives the run: commands, record and checkpoints are its alone, and what
it decides between two steps it tells the others after a step that all agree on.
"""

import os
import sys
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import NamedTuple, TypeVar

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.nn.parallel import DistributedDataParallel
from typing_extensions import override

from engine.runs.launch import RENDEZVOUS

Value = TypeVar("Value")
_PATIENCE = timedelta(minutes=30)


class Orders(NamedTuple):
    """What rank 0 decided between two steps: live values by name, whether to end, or whether to
    wait for more.
    """

    values: tuple[tuple[str, float], ...] = ()
    stops: bool = False
    waits: bool = False


class SharedLoss(NamedTuple):
    """The loss of one step over all processes.

    ``start`` is what this process goes back from; ``mean`` that over the whole batch, ``parts`` of
    its terms; ``ranks`` (float64) the loss of each process, where there are several.
    """

    start: Tensor
    mean: Tensor
    parts: list[Tensor]
    ranks: Tensor | None = None


class World:
    """A run in one process: nobody to talk to."""

    rank = 0
    size = 1
    wants_look = False  # rank 0 has something to do after the step that comes
    looks = False  # all agreed to do it after the step that was

    def count(self, total: int) -> int:
        """Return how many samples of a batch of ``total`` count as this process's own."""
        return total

    def share(self, index: Tensor) -> Tensor:
        """Return the part of a batch (indices of samples) that this process computes."""
        return index

    def device(self, device: torch.device) -> torch.device:
        """Return the device of this process, where that of the run is ``device``."""
        return device

    def wrap(self, model: nn.Module) -> nn.Module:
        """Return what goes forward in training."""
        return model

    def align(self, model: nn.Module) -> None:
        """Give all processes the buffers of rank 0: running means are of its share of the data."""

    def share_loss(self, loss: Tensor, parts: list[Tensor], total: int) -> SharedLoss:
        """Return the loss of a step over a whole batch of ``total`` samples."""
        del total
        return SharedLoss(loss, loss, parts)

    def sums(self, values: Sequence[float]) -> list[float]:
        """Return the sums of numbers over all processes."""
        return list(values)

    def tell(self, orders: Orders) -> None:
        """Tell the others what was decided."""

    def hand_over(self, value: Value | None) -> Value:
        """Return what rank 0 gives to all; the others give None."""
        assert value is not None
        return value

    def close(self) -> None:
        """Leave the others."""


ALONE = World()


class Group(World):
    """Several processes on this machine, started by ``torchrun``; its environment says which of
    them this one is. They meet at a file in ``folder``; gloo connects CPUs, NCCL GPUs.
    """

    def __init__(self, folder: Path) -> None:
        self.rank = int(os.environ["RANK"])
        self.size = int(os.environ["WORLD_SIZE"])
        self._local = int(os.environ["LOCAL_RANK"])
        name = os.environ["TORCHELASTIC_RUN_ID"]
        restart = os.environ["TORCHELASTIC_RESTART_COUNT"]
        self._meeting = folder / f"{RENDEZVOUS}{name}-{restart}"
        if self.rank == 0:
            _remove_old(folder, name)
        os.environ.setdefault("GLOO_SOCKET_IFNAME", "lo0" if sys.platform == "darwin" else "lo")
        backend = "cpu:gloo,cuda:nccl" if torch.cuda.is_available() else "gloo"
        dist.init_process_group(
            backend,
            store=dist.FileStore(str(self._meeting), self.size),  # pyright: ignore[reportPrivateImportUsage]
            rank=self.rank,
            world_size=self.size,
            timeout=_PATIENCE,
        )

    @override
    def close(self) -> None:
        dist.destroy_process_group()
        if self.rank == 0:
            self._meeting.unlink(missing_ok=True)

    @override
    def count(self, total: int) -> int:
        return total // self.size + (self.rank < total % self.size)

    @override
    def share(self, index: Tensor) -> Tensor:
        """Shares follow each other and differ by one sample at most. With fewer samples than
        processes the last of them compute the first sample too, which does not count: all go
        backward together.
        """
        share = index.tensor_split(self.size)[self.rank]
        return share if len(share) else index[:1]

    @override
    def device(self, device: torch.device) -> torch.device:
        if device.type != "cuda":
            return device
        return torch.device("cuda", self._local % torch.cuda.device_count())

    @override
    def wrap(self, model: nn.Module) -> nn.Module:
        """Return the model in ``DistributedDataParallel``, which averages gradients."""
        if not any(parameter.requires_grad for parameter in model.parameters()):
            return model
        return DistributedDataParallel(model, find_unused_parameters=True)

    @override
    def align(self, model: nn.Module) -> None:
        for buffer in model.buffers():
            dist.broadcast(buffer, src=0)

    @override
    def share_loss(self, loss: Tensor, parts: list[Tensor], total: int) -> SharedLoss:
        """Weigh the loss by this process's share of the batch: DDP takes the plain mean of the
        gradients of all, and shares may differ by a sample.
        """
        own = self.count(total)
        told = [loss.new_tensor(own), loss.new_tensor(self.wants_look), loss.detach(), *parts]
        row = torch.stack([value.double() for value in told])
        rows = [torch.empty_like(row) for _ in range(self.size)]
        dist.all_gather(rows, row)
        table = torch.stack(rows)
        self.looks = bool(table[:, 1].any())
        means = (table[:, :1] * table[:, 2:]).sum(0) / total
        weight = own * self.size / total
        start = loss if weight == 1 else loss * weight
        return SharedLoss(start, means[0], list(means[1:]), table[:, 2])

    @override
    def sums(self, values: Sequence[float]) -> list[float]:
        total = torch.tensor(values, dtype=torch.float64)
        dist.all_reduce(total)
        return total.tolist()

    @override
    def tell(self, orders: Orders) -> None:
        self.hand_over(orders)

    @override
    def hand_over(self, value: Value | None) -> Value:
        box = [value]
        dist.broadcast_object_list(box, src=0)
        assert box[0] is not None
        return box[0]


def _remove_old(folder: Path, name: str) -> None:
    """Remove the files at which processes met in earlier sessions."""
    for path in folder.glob(f"{RENDEZVOUS}*"):
        if name not in path.name:
            path.unlink(missing_ok=True)


def processes() -> int:
    """Return how many processes of the run are on this machine."""
    return int(os.environ.get("LOCAL_WORLD_SIZE", "1"))


def is_lost(error: Exception) -> bool:
    """Return whether an error tells that another process of the run is gone."""
    text = str(error)
    return isinstance(error, dist.DistError) or "gloo" in text or "NCCL" in text


def join(folder: Path) -> World:
    """Return the group of processes that this one was started in, or a world of its own."""
    return Group(folder) if int(os.environ.get("WORLD_SIZE", "1")) > 1 else ALONE
