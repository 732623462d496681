"""Processes that train one run together, and what they exchange (an overview: ``docs/ranks.md``).

Each takes its share of every batch; PyTorch's ``DistributedDataParallel`` averages the gradients.
Rank 0 drives the run: commands, record and checkpoints are its alone, and what it decides between
two steps it broadcasts after a step that all ranks agree on.
"""

import os
import time
import zlib
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from datetime import timedelta
from enum import StrEnum
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.nn.parallel import DistributedDataParallel
from torch.optim import Optimizer
from typing_extensions import override

from engine.events import RankShare
from engine.runs.machine.cluster import LOOPBACK
from engine.runs.machine.endpoint import interface_to
from engine.runs.process.agent import Agent
from engine.runs.process.launch import RENDEZVOUS
from engine.spec.live import LiveValue
from engine.train.ranks.exchange import broadcast, gather
from engine.train.ranks.rank_poll import Answer, LostRanks, RankPoll, answer_of, is_timeout
from engine.train.ranks.tcp_store import close_sockets, open_sockets, serve

Value = TypeVar("Value")
COMPARE_EVERY = 50
"""Steps from one comparison of the weights of all processes to the next."""


class Task(StrEnum):
    """What all ranks do together between two steps; the first two where weights are sharded."""

    NONE = ""
    CHECK = "check"  # that all weights are finite
    SAVE = "save"  # the shards, in the folder of the orders
    GATHER_METRICS = "gather_metrics"  # of the epoch so far
    FREE_CACHE = "free_cache"  # of the GPUs
    EVALUATE = "evaluate"  # the validation split


class Orders(NamedTuple):
    """What rank 0 decided between two steps: live values by name, whether the run ends, and
    whether it has trained as long as it was to. After a ``task``, and where rank 0 ``waits`` for
    the user, more orders follow.
    """

    values: tuple[tuple[str, LiveValue], ...] = ()
    stops: bool = False
    is_time_over: bool = False
    waits: bool = False
    task: Task = Task.NONE
    folder: str = ""


class ReducedLoss(NamedTuple):
    """The loss of one step over all ranks.

    ``start`` is what this rank calls ``backward`` on; ``mean`` is the loss of the whole batch,
    ``parts`` those of its terms; ``ranks`` (float64) has the loss of each rank where there are
    several. ``weight`` is what this rank's own loss was multiplied by for ``start``.
    """

    start: Tensor
    mean: Tensor
    parts: list[Tensor]
    ranks: Tensor | None = None
    weight: float = 1.0


class World:
    """A run in one process: every collective is the identity."""

    rank = 0
    size = 1
    is_sharded = False  # each rank has a part of the weights
    collective = ""  # the one that is under way
    compared: tuple[RankShare, ...] = ()  # of the newest comparison, until it is taken
    wants_sync = False  # rank 0 wants to synchronize after the step that follows
    is_sync_due = False  # all ranks synchronize after the last step

    def local_batch_size(self, total: int) -> int:
        """Return how many samples of a batch of ``total`` are this rank's."""
        return total

    def local_indices(self, index: Tensor) -> Tensor:
        """Return the part of a batch (indices of samples) that this rank computes."""
        return index

    def device(self, device: torch.device) -> torch.device:
        """Return the device of this rank, where that of the run is ``device``."""
        return device

    def place(self, model: nn.Module, device: torch.device) -> nn.Module:
        """Move a model to the device on which it is trained."""
        return model.to(device)

    def wrap(self, model: nn.Module, *, is_fixed: bool) -> nn.Module:
        """Return what goes forward in training; ``is_fixed``: each step computes the same."""
        del is_fixed
        return model

    def shard(self, model: nn.Module, optimizer: Optimizer, device: torch.device) -> None:
        """Shard the weights where each rank keeps a part; before, all have the same."""

    def to_local(self, value: Tensor) -> Tensor:
        """Return this rank's shard of a tensor."""
        return value

    def full_tensor(self, value: Tensor) -> Tensor:
        """Return a tensor put together from all shards; a collective."""
        return value

    def take_compared(self) -> tuple[RankShare, ...]:
        """Return, once, what the ranks were found to be where they were compared in a step."""
        compared, self.compared = self.compared, ()
        return compared

    def agree(self, *, holds: bool) -> bool:
        """Return whether something holds for the shards of all ranks; a collective."""
        return holds

    def save_shards(self, path: Path, content: dict[str, Any]) -> dict[str, Any]:
        """Return what of a checkpoint goes into its file; shards are written into the folder
        ``path``.

        Raises :class:`DiagnosticError` where they could not be written.
        """
        del path
        return content

    def save_local_shards(self, orders: Orders) -> None:
        """Write the shards of this rank, where rank 0 writes a checkpoint."""

    def keep_gradients(self, network: nn.Module) -> AbstractContextManager[None]:
        """Return the context of a forward and backward pass whose gradients are added up on this
        rank, and shared with those of the next pass.
        """
        del network
        return nullcontext()

    def broadcast_buffers(self, model: nn.Module) -> None:
        """Give all ranks the buffers of rank 0: each has running means of its own samples."""

    def reduce_loss(self, loss: Tensor, parts: list[Tensor], total: int) -> ReducedLoss:
        """Return the loss of a step over a whole batch of ``total`` samples."""
        del total
        return ReducedLoss(loss, loss, parts)

    def all_reduce(self, values: Sequence[float]) -> list[float]:
        """Return the sums of numbers over all ranks."""
        return list(values)

    def broadcast(self, value: Value | None, kind: type[Value]) -> Value:
        """Return the value of rank 0, of a kind; the other ranks pass None."""
        del kind
        assert value is not None
        return value

    def gather(self, value: Value, kind: type[Value]) -> list[Value]:
        """Return the values of all ranks, by rank."""
        del kind
        return [value]

    def close(self) -> None:
        """Leave the process group."""

    def find_lost(self, error: Exception) -> LostRanks:
        """Return which ranks are gone or hang, after a collective failed with ``error``."""
        return LostRanks((), {}, hung=is_timeout(error), diverged={})

    def answer(self, error: Exception) -> None:
        """Tell the other ranks that this one is alive, and of what it failed."""

    def decide(self, *, again: bool) -> None:
        """Tell the other ranks whether the run is over, or all are started again."""

    def is_cut_off(self) -> bool:
        """Return whether this machine was found to have lost the other machines."""
        return False

    def leave(self) -> None:
        """Close the connections at once, so that collectives the other ranks wait in fail."""

    def verdict(self, error: Exception) -> bool | None:
        """Return whether rank 0 decided that the run is over, after ``error`` on this rank; None
        where rank 0 is lost and this rank has to decide.
        """
        del error
        return True


ALONE = World()


class Group(World):
    """Several processes started by ``torchrun``; its environment says which rank this one is. On
    one machine they meet at a file in ``folder``, otherwise at the address of the first machine;
    gloo connects CPUs, NCCL GPUs. A collective that takes longer than ``patience_s`` fails.
    """

    def __init__(self, folder: Path, starter: Agent, patience_s: float) -> None:
        self.rank = int(os.environ["RANK"])
        self.size = int(os.environ["WORLD_SIZE"])
        self.local_rank = int(os.environ["LOCAL_RANK"])
        self._rendezvous = folder / f"{RENDEZVOUS}{starter.name}-{starter.round}"
        if self.rank == 0:
            _remove_old(folder, starter.name)
        store = self._store(starter, timedelta(seconds=patience_s))
        self._poll = RankPoll(store, self.rank, self.size, patience_s)
        self._sockets_before = open_sockets()
        self.collective = "init_process_group"
        dist.init_process_group(
            "cpu:gloo,cuda:nccl" if torch.cuda.is_available() else "gloo",
            store=store,
            rank=self.rank,
            world_size=self.size,
            timeout=timedelta(seconds=patience_s),
        )
        self._model: nn.Module | None = None
        self._steps = 0  # since this process began; the same on all ranks
        self._samples = 0
        self._waited_s = 0.0
        self._since = time.monotonic()

    def _store(self, starter: Agent, patience: timedelta) -> dist.Store:  # pyright: ignore[reportPrivateImportUsage]
        """Return the store at which the processes meet: a new one for each restart, since addresses
        of processes that are gone would still be in the old one.
        """
        if int(os.environ["GROUP_WORLD_SIZE"]) == 1:
            _use_loopback()
            return dist.FileStore(str(self._rendezvous), self.size)  # pyright: ignore[reportPrivateImportUsage]
        address, port = os.environ["MASTER_ADDR"], int(os.environ["MASTER_PORT"])
        if address in LOOPBACK:
            _use_loopback()
        elif device := interface_to(address):  # gloo would take what the host name stands for
            os.environ.setdefault("GLOO_SOCKET_IFNAME", device)
            os.environ.setdefault("NCCL_SOCKET_IFNAME", f"={device}")  # else any that is up
        is_agents = os.environ.get("TORCHELASTIC_USE_AGENT_STORE") == "True"
        if self.rank == 0 and not is_agents:
            store = serve(address, port, patience)
        else:
            store = dist.TCPStore(address, port, is_master=False, timeout=patience)  # pyright: ignore[reportPrivateImportUsage]
        return dist.PrefixStore(f"{starter.name}-{starter.round}", store)  # pyright: ignore[reportPrivateImportUsage]

    @override
    def close(self) -> None:
        dist.destroy_process_group()
        if self.rank == 0:
            self._rendezvous.unlink(missing_ok=True)

    @override
    def find_lost(self, error: Exception) -> LostRanks:
        return self._poll.find_lost(error)

    @override
    def answer(self, error: Exception) -> None:
        is_own_fault = not is_lost(error)
        raised = Answer(raised=f"{type(error).__name__}: {error}")
        self._poll.answer(raised if is_own_fault else answer_of(error, self.collective))

    @override
    def decide(self, *, again: bool) -> None:
        self.leave()
        self._poll.decide(again=again)

    @override
    def is_cut_off(self) -> bool:
        return self._poll.is_cut_off and int(os.environ["GROUP_WORLD_SIZE"]) > 1

    @override
    def leave(self) -> None:
        close_sockets(self._sockets_before)

    @override
    def verdict(self, error: Exception) -> bool | None:
        return self._poll.verdict(hung=is_timeout(error))

    @override
    def local_batch_size(self, total: int) -> int:
        return total // self.size + (self.rank < total % self.size)

    @override
    def local_indices(self, index: Tensor) -> Tensor:
        """Return consecutive samples; parts differ by one sample at most. With fewer samples than
        ranks the last ranks compute the first sample too, with weight 0: all ranks have to go
        backward together.
        """
        share = index.tensor_split(self.size)[self.rank]
        return share if len(share) else index[:1]

    @override
    def device(self, device: torch.device) -> torch.device:
        if device.type != "cuda":
            return device
        return torch.device("cuda", self.local_rank % torch.cuda.device_count())

    @override
    def wrap(self, model: nn.Module, *, is_fixed: bool) -> nn.Module:
        """Return the model in ``DistributedDataParallel``, which averages gradients. Which
        parameters get none is looked for in the first step only, where that cannot change: in each
        step it would cost a pass over the graph and a collective.
        """
        self._model = model
        if not any(parameter.requires_grad for parameter in model.parameters()):
            return model
        return DistributedDataParallel(
            model, find_unused_parameters=not is_fixed, static_graph=is_fixed
        )

    @override
    def keep_gradients(self, network: nn.Module) -> AbstractContextManager[None]:
        return network.no_sync() if isinstance(network, DistributedDataParallel) else nullcontext()

    @override
    def broadcast_buffers(self, model: nn.Module) -> None:
        self.collective = "broadcast"
        for buffer in model.buffers():
            dist.broadcast(buffer, src=0)

    @override
    def reduce_loss(self, loss: Tensor, parts: list[Tensor], total: int) -> ReducedLoss:
        """Weigh the loss by this rank's part of the batch: DDP takes the plain mean of all
        gradients, and parts may differ by a sample.

        One ``all_gather`` a step carries all that ranks exchange: a row of each rank with its
        number of samples, its wish to synchronize, its loss and the terms of it, and now and then
        a checksum of its weights with its speed.
        """
        samples = self.local_batch_size(total)
        columns = [loss.new_tensor(samples), loss.new_tensor(self.wants_sync), loss.detach()]
        values = [value.double() for value in (*columns, *parts)]
        count = len(values)
        is_compared = self._steps % COMPARE_EVERY == 0
        if is_compared:
            values += [loss.new_tensor(number, dtype=torch.float64) for number in self._figures()]
        row = torch.stack(values)
        rows = [torch.empty_like(row) for _ in range(self.size)]
        self.collective = "all_gather"
        begun = time.monotonic()
        dist.all_gather(rows, row)
        self._waited_s += time.monotonic() - begun
        self.collective = "all_reduce"  # of the gradients, by DDP
        table = torch.stack(rows)
        self.is_sync_due = bool(table[:, 1].any())
        self._count_step(samples, table if is_compared else None)
        means = (table[:, :1] * table[:, 2:count]).sum(0) / total
        weight = samples * self.size / total
        start = loss if weight == 1 else loss * weight
        return ReducedLoss(start, means[0], list(means[1:]), table[:, 2], weight)

    def _figures(self) -> tuple[float, float, float]:
        """Return the checksum of the weights, samples a second and seconds of waiting a step."""
        passed = max(time.monotonic() - self._since, 1e-9)
        steps = min(self._steps, COMPARE_EVERY) or 1
        return _checksum(self._model), self._samples / passed, self._waited_s / steps

    def _count_step(self, samples: int, table: Tensor | None) -> None:
        """Count a step, and keep the figures of all ranks where they were compared in it."""
        self._steps += 1
        if table is not None:
            rows = torch.cat([table[:, 2:3], table[:, -3:]], dim=1).tolist()
            self.compared = tuple(
                RankShare(
                    checksum=int(checksum), loss=loss, samples_per_s=speed, waited_ms=1e3 * waited
                )
                for loss, checksum, speed, waited in rows
            )
            self._samples, self._waited_s, self._since = 0, 0.0, time.monotonic()
        self._samples += samples

    @override
    def all_reduce(self, values: Sequence[float]) -> list[float]:
        total = torch.tensor(values, dtype=torch.float64)
        self.collective = "all_reduce"
        dist.all_reduce(total)
        return total.tolist()

    @override
    def broadcast(self, value: Value | None, kind: type[Value]) -> Value:
        self.collective = "broadcast"
        return broadcast(value, kind)

    @override
    def gather(self, value: Value, kind: type[Value]) -> list[Value]:
        self.collective = "all_gather"
        return gather(value, kind, self.size)


def _remove_old(folder: Path, name: str) -> None:
    """Remove the rendezvous files of earlier sessions."""
    for path in folder.glob(f"{RENDEZVOUS}*"):
        if name not in path.name:
            path.unlink(missing_ok=True)


def _use_loopback() -> None:
    """Have gloo and NCCL open no port to the network, whatever the host's name stands for and the
    environment says.
    """
    device = interface_to(LOOPBACK[0])
    os.environ["GLOO_SOCKET_IFNAME"] = device
    os.environ["NCCL_SOCKET_IFNAME"] = f"={device}"  # else all whose names begin so


def _checksum(model: nn.Module | None) -> int:
    """Return the CRC-32 of the bytes of all parameters, in their order."""
    checksum = 0
    for parameter in model.parameters() if model is not None else ():
        values = parameter.detach().cpu().contiguous().view(-1).view(torch.uint8)
        checksum = zlib.crc32(values.numpy().tobytes(), checksum)
    return checksum


def local_world_size() -> int:
    """Return how many processes of the run are on this machine."""
    return int(os.environ.get("LOCAL_WORLD_SIZE", "1"))


def is_lost(error: Exception) -> bool:
    """Return whether an error tells that another process of the run is gone."""
    text = str(error)
    return isinstance(error, dist.DistError) or "gloo" in text or "NCCL" in text
