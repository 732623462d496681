"""Driver of all ranks but the first: each computes its share of every step and follows rank 0."""

import signal
import sys
import traceback
from pathlib import Path
from typing import NamedTuple

import torch
from typing_extensions import override

from engine.custom.trust import set_trust
from engine.data.load.fit import DataFit, read_fit
from engine.diagnostics import DiagnosticError
from engine.model.module import to_module
from engine.runs.folder import RunFolder
from engine.runs.process.agent import can_restart
from engine.runs.process.launch import Launch
from engine.spec.length import RunLength
from engine.train.checkpoint.file import Position
from engine.train.devices import free_cache, run_settings
from engine.train.driver import Driver
from engine.train.loop import TrainingLoop
from engine.train.metrics import MeterState
from engine.train.part_evaluation import evaluate_part
from engine.train.placement import moved
from engine.train.ranks.process_group import join
from engine.train.ranks.rank_failure import is_over
from engine.train.ranks.world import Orders, Task, local_world_size
from engine.train.teaching import build_run_training
from engine.train.training import Training, TrainingState


class Start(NamedTuple):
    """What all ranks start from: the state that rank 0 built or read, and the position."""

    state: TrainingState
    position: Position
    length: RunLength


def broadcast_start(loop: TrainingLoop) -> None:
    """Give the other ranks what rank 0 starts from, by way of the CPU: what lies on its GPU would
    be allocated there by all of them, and each puts it onto its own device anyway.
    """
    training = loop.training
    if training.world.size == 1:
        return
    start = Start(training.state(), loop.position, loop.length)
    training.world.broadcast(moved(start, torch.device("cpu")), Start)
    training.shard()


def follow(launch: Launch) -> bool:
    """Train with rank 0 until it says that the run is over; return whether the agent may take it
    as a good end. An end that rank 0 has told is one, where another would have all start again.
    """
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, signal.SIG_IGN)  # rank 0 is told too, and tells when to end
    folder = RunFolder.open(Path(launch.folder))
    document = folder.document
    with run_settings(document.spec, local_world_size()):
        set_trust(document.graph.code, trusted=launch.trusted)
        world = join(folder.path, document.spec.processes.timeout_s, sharded=launch.sharded)
        loop: TrainingLoop | None = None
        try:
            model = to_module(document.graph)
            known = read_fit(folder.artefacts) if launch.resume else DataFit()
            loop = _started(build_run_training(folder, model, world, known)[0])
            loop.run(Follower(loop))
        except Exception as error:  # noqa: BLE001 - a layer or data may raise anything
            traceback.print_exc()
            world.answer(error)
            world.leave()
            step = loop.step + 1 if loop is not None else 0
            return is_over(world, folder, error, step) and can_restart()
        world.close()
    return True


def _started(training: Training) -> TrainingLoop:
    """Return the loop at the position and in the state that rank 0 starts from."""
    world = training.world
    start = world.broadcast(None, Start)
    training.load_state(start.state)
    training.shard()
    return TrainingLoop(training, training.epoch_meter(), start.position, start.length)


class Follower(Driver):
    """Driver of every rank but the first: no commands, record or files of its own. It waits for
    the orders of rank 0 wherever that one takes commands.
    """

    def __init__(self, loop: TrainingLoop) -> None:
        self._loop = loop
        self._world = loop.training.world

    @override
    def step_started(self) -> None:
        """Seed this step: dropout and the like draw other numbers on each rank, and the same ones
        where a run goes on from a checkpoint, which has the random state of rank 0 alone.
        """
        seed = self._loop.training.spec.seed + self._loop.step
        torch.manual_seed(seed * self._world.size + self._world.rank)

    @override
    def is_sync_due(self) -> bool:
        return self._world.is_sync_due

    @override
    def synchronize(self) -> None:
        orders = self._ordered()
        while orders.waits or orders.task:
            self._help(orders)
            orders = self._ordered()
        self._loop.is_stopping = orders.stops
        self._loop.is_time_over = orders.is_time_over

    def _ordered(self) -> Orders:
        """Wait for orders, and set the values in them: what is evaluated next goes by them."""
        orders = self._world.broadcast(None, Orders)
        for name, value in orders.values:
            self._loop.set_value(name, value)
        return orders

    def _help(self, orders: Orders) -> None:
        """Take part in what rank 0 does between two steps."""
        match orders.task:
            case Task.NONE:
                return
            case Task.CHECK:
                self._loop.training.has_finite_weights()
            case Task.FREE_CACHE:
                free_cache()
            case Task.EVALUATE:
                evaluate_part(self._loop.training, "validation")
            case Task.GATHER_METRICS:
                self._world.gather(self._loop.meter.state_dict(), MeterState)
            case Task.SAVE:
                try:
                    self._world.save_local_shards(orders)
                except DiagnosticError as error:  # rank 0 tells it
                    sys.stderr.write(f"{error}\n")
