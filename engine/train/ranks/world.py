"""The processes that train one run together, and what they tell each other.

Each takes its share of every batch; PyTorch's ``DistributedDataParallel`` averages the gradients.
The first process (rank 0) drives the run: commands, record and checkpoints are its alone, and what
it decides between two steps it tells the others after a step that all agree on.
"""

import os
import time
import zlib
from collections.abc import Sequence
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
from engine.train.ranks.exchange import broadcast, gather
from engine.train.ranks.rank_poll import Answer, Lost, RankPoll, answer_of, is_timeout
from engine.train.ranks.sockets import close_links, links
from engine.train.ranks.tcp_store import serve

Value = TypeVar("Value")
COMPARE_EVERY = 50
"""Steps from one comparison of the weights of all processes to the next."""


class Task(StrEnum):
    """What all processes do between two steps; the first two where each has a part of the
    weights.
    """

    NONE = ""
    CHECK = "check"  # that all numbers are finite
    KEEP = "keep"  # the weights, in the folder of the orders
    MEASURE = "measure"  # tell what was measured of the epoch so far
    FREE = "free"  # memory of GPUs that nobody uses


class Orders(NamedTuple):
    """What rank 0 decided between two steps: live values by name, whether to end, or whether to
    wait for more, after a task where there is one.
    """

    values: tuple[tuple[str, float], ...] = ()
    stops: bool = False
    waits: bool = False
    task: Task = Task.NONE
    folder: str = ""


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
    is_sharded = False  # each process has a part of the weights
    doing = ""  # the collective that is under way
    compared: tuple[RankShare, ...] = ()  # of the step that was, where it was compared
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

    def place(self, model: nn.Module, device: torch.device) -> nn.Module:
        """Put a model where it is trained."""
        return model.to(device)

    def wrap(self, model: nn.Module, *, is_fixed: bool) -> nn.Module:
        """Return what goes forward in training; ``is_fixed``: each step computes the same."""
        del is_fixed
        return model

    def share_out(self, model: nn.Module, optimizer: Optimizer, device: torch.device) -> None:
        """Deal out the weights, after all processes have the same, where each keeps a part."""

    def own(self, value: Tensor) -> Tensor:
        """Return the part of a value that this process has."""
        return value

    def whole(self, value: Tensor) -> Tensor:
        """Return a value over all parts; all processes have to come here."""
        return value

    def agree(self, *, holds: bool) -> bool:
        """Return whether something holds for the parts of all processes."""
        return holds

    def keep(self, path: Path, content: dict[str, Any]) -> dict[str, Any]:
        """Return what of a checkpoint is written into its file; parts go into the folder ``path``.

        Raises :class:`DiagnosticError` where they could not be written.
        """
        del path
        return content

    def help_keep(self, orders: Orders) -> None:
        """Write the part of this process, where rank 0 writes a checkpoint."""

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

    def hand_over(self, value: Value | None, kind: type[Value]) -> Value:
        """Return what rank 0 gives to all, a value of a kind; the others give None."""
        del kind
        assert value is not None
        return value

    def gather(self, value: Value, kind: type[Value]) -> list[Value]:
        """Return what each process gives, by rank."""
        del kind
        return [value]

    def close(self) -> None:
        """Leave the others."""

    def find_lost(self, error: Exception) -> Lost:
        """Return which of the others are gone or hang, after a collective failed with ``error``."""
        return Lost((), {}, hung=is_timeout(error), apart={})

    def answer(self, error: Exception) -> None:
        """Say that this process is there, and of what it failed."""

    def decide(self, *, again: bool) -> None:
        """Tell the others whether the run is over, or all are started again."""

    def is_cut_off(self) -> bool:
        """Return whether this machine was found to have lost the others."""
        return False

    def leave(self) -> None:
        """Let go of the others at once: what they wait for fails."""

    def verdict(self, error: Exception) -> bool | None:
        """Return whether rank 0 says that the run is over, after ``error`` in this process; None
        where it is lost, and this process says it.
        """
        del error
        return True


ALONE = World()


class Group(World):
    """Several processes started by ``torchrun``; its environment says which of them this one is.
    Those of one machine meet at a file in ``folder``, those of several at the address of the first
    one; gloo connects CPUs, NCCL GPUs. A collective that takes longer than ``patience_s`` fails.
    """

    def __init__(self, folder: Path, starter: Agent, patience_s: float) -> None:
        self.rank = int(os.environ["RANK"])
        self.size = int(os.environ["WORLD_SIZE"])
        self._local = int(os.environ["LOCAL_RANK"])
        self._meeting = folder / f"{RENDEZVOUS}{starter.name}-{starter.round}"
        if self.rank == 0:
            _remove_old(folder, starter.name)
        store = self._store(starter, timedelta(seconds=patience_s))
        self._roll = RankPoll(store, self.rank, self.size, patience_s)
        self._own_links = links()
        self.doing = "init_process_group"
        dist.init_process_group(
            "cpu:gloo,cuda:nccl" if torch.cuda.is_available() else "gloo",
            store=store,
            rank=self.rank,
            world_size=self.size,
            timeout=timedelta(seconds=patience_s),
        )
        self._model: nn.Module | None = None
        self._steps = 0  # since this process began; all count the same
        self._samples = 0
        self._waited_s = 0.0
        self._since = time.monotonic()

    def _store(self, starter: Agent, patience: timedelta) -> dist.Store:  # pyright: ignore[reportPrivateImportUsage]
        """Return where the processes find each other: afresh for each restart, since addresses of
        processes that are gone would be found too.
        """
        if int(os.environ["GROUP_WORLD_SIZE"]) == 1:
            _use_loopback()
            return dist.FileStore(str(self._meeting), self.size)  # pyright: ignore[reportPrivateImportUsage]
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
            self._meeting.unlink(missing_ok=True)

    @override
    def find_lost(self, error: Exception) -> Lost:
        return self._roll.call(error)

    @override
    def answer(self, error: Exception) -> None:
        is_own_fault = not is_lost(error)
        raised = Answer(raised=f"{type(error).__name__}: {error}")
        self._roll.answer(raised if is_own_fault else answer_of(error, self.doing))

    @override
    def decide(self, *, again: bool) -> None:
        self.leave()
        self._roll.decide(again=again)

    @override
    def is_cut_off(self) -> bool:
        return self._roll.is_cut_off and int(os.environ["GROUP_WORLD_SIZE"]) > 1

    @override
    def leave(self) -> None:
        close_links(self._own_links)

    @override
    def verdict(self, error: Exception) -> bool | None:
        return self._roll.verdict(hung=is_timeout(error))

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
    def align(self, model: nn.Module) -> None:
        self.doing = "broadcast"
        for buffer in model.buffers():
            dist.broadcast(buffer, src=0)

    @override
    def share_loss(self, loss: Tensor, parts: list[Tensor], total: int) -> SharedLoss:
        """Weigh the loss by this process's share of the batch: DDP takes the plain mean of the
        gradients of all, and shares may differ by a sample.
        """
        own = self.count(total)
        told = [loss.new_tensor(own), loss.new_tensor(self.wants_look), loss.detach(), *parts]
        values = [value.double() for value in told]
        is_compared = self._steps % COMPARE_EVERY == 0
        if is_compared:
            values += [loss.new_tensor(number, dtype=torch.float64) for number in self._numbers()]
        row = torch.stack(values)
        rows = [torch.empty_like(row) for _ in range(self.size)]
        self.doing = "all_gather"
        begun = time.monotonic()
        dist.all_gather(rows, row)
        self._waited_s += time.monotonic() - begun
        self.doing = "all_reduce"  # of the gradients, by DDP
        table = torch.stack(rows)
        self.looks = bool(table[:, 1].any())
        self._count_step(own, table if is_compared else None)
        means = (table[:, :1] * table[:, 2 : len(told)]).sum(0) / total
        weight = own * self.size / total
        start = loss if weight == 1 else loss * weight
        return SharedLoss(start, means[0], list(means[1:]), table[:, 2])

    def _numbers(self) -> tuple[float, float, float]:
        """Return the checksum of the weights, samples a second and seconds of waiting a step."""
        passed = max(time.monotonic() - self._since, 1e-9)
        steps = min(self._steps, COMPARE_EVERY) or 1
        return _checksum(self._model), self._samples / passed, self._waited_s / steps

    def _count_step(self, own: int, table: Tensor | None) -> None:
        """Count a step, and keep what all told of themselves where it was compared."""
        self._steps += 1
        self.compared = ()
        if table is not None:
            rows = torch.cat([table[:, 2:3], table[:, -3:]], dim=1).tolist()
            self.compared = tuple(
                RankShare(
                    checksum=int(checksum), loss=loss, samples_per_s=speed, waited_ms=1e3 * waited
                )
                for loss, checksum, speed, waited in rows
            )
            self._samples, self._waited_s, self._since = 0, 0.0, time.monotonic()
        self._samples += own

    @override
    def sums(self, values: Sequence[float]) -> list[float]:
        total = torch.tensor(values, dtype=torch.float64)
        self.doing = "all_reduce"
        dist.all_reduce(total)
        return total.tolist()

    @override
    def tell(self, orders: Orders) -> None:
        self.hand_over(orders, Orders)

    @override
    def hand_over(self, value: Value | None, kind: type[Value]) -> Value:
        self.doing = "broadcast"
        return broadcast(value, kind)

    @override
    def gather(self, value: Value, kind: type[Value]) -> list[Value]:
        self.doing = "all_gather"
        return gather(value, kind, self.size)


def _remove_old(folder: Path, name: str) -> None:
    """Remove the files at which processes met in earlier sessions."""
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
    found = 0
    for parameter in model.parameters() if model is not None else ():
        values = parameter.detach().cpu().contiguous().view(-1).view(torch.uint8)
        found = zlib.crc32(values.numpy().tobytes(), found)
    return found


def processes() -> int:
    """Return how many processes of the run are on this machine."""
    return int(os.environ.get("LOCAL_WORLD_SIZE", "1"))


def is_lost(error: Exception) -> bool:
    """Return whether an error tells that another process of the run is gone."""
    text = str(error)
    return isinstance(error, dist.DistError) or "gloo" in text or "NCCL" in text
