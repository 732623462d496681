"""The other processes of a run: they compute their share of each step and obey the first one."""

import signal
import sys
import traceback
from pathlib import Path
from typing import NamedTuple

import torch
from torch import Tensor

from engine.custom.trust import set_trust
from engine.diagnostics import DiagnosticError
from engine.model.module import to_module
from engine.runs.folder import RunFolder
from engine.runs.process.agent import can_restart
from engine.runs.process.launch import Launch
from engine.train.checkpoint.file import Position
from engine.train.devices import free_cache, run_settings
from engine.train.loop import evaluate_part, train_epoch
from engine.train.metrics import Measured
from engine.train.placement import moved
from engine.train.ranks.process_group import join
from engine.train.ranks.rank_failure import is_over
from engine.train.ranks.world import Orders, Task, World, processes
from engine.train.runner import Runner
from engine.train.training import Training, build_training, named


class Beginning(NamedTuple):
    """Where a run goes on: what rank 0 has put into model, optimizer, schedule and scaler."""

    model: dict[str, Tensor]
    optimizer: dict[str, object]
    schedule: dict[str, object]
    scaler: dict[str, object]
    position: Position
    epochs: int


def begin_together(runner: Runner) -> None:
    """Give the other processes what rank 0 begins with, by way of the CPU: what lies on its GPU
    would be read there by all of them, and each puts it onto its own device anyway.
    """
    training = runner.training
    if training.world.size == 1:
        return
    beginning = Beginning(
        model=training.model.state_dict(),
        optimizer=training.optimizer.state_dict(),
        schedule=training.schedule.state_dict(),
        scaler=training.precision.state_dict(),
        position=runner.position,
        epochs=runner.epochs,
    )
    training.world.hand_over(moved(beginning, torch.device("cpu")), Beginning)
    training.share_out()


def follow(launch: Launch) -> bool:
    """Compute with rank 0 until it says that the run is over; return whether the agent may take it
    as a good end. An end that rank 0 has told is one, where another would have all start again.
    """
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, signal.SIG_IGN)  # rank 0 is told too, and tells when to end
    folder = RunFolder.open(Path(launch.folder))
    document = folder.document
    with run_settings(document.spec, processes()):
        set_trust(document.graph.code, trusted=launch.trusted)
        world = join(folder.path, document.spec.processes.timeout_s, sharded=launch.sharded)
        follower: _Follower | None = None
        try:
            model = to_module(document.graph)
            training = build_training(document.graph, document.spec, model, world)
            follower = _Follower(training, world)
            follower.run()
        except Exception as error:  # noqa: BLE001 - a layer or data may raise anything
            traceback.print_exc()
            world.answer(error)
            world.leave()
            step = follower.step + 1 if follower is not None else 0
            return is_over(world, folder, error, step) and can_restart()
        world.close()
    return True


class _Follower:
    """Goes the way of :class:`engine.train.runner.Runner` without commands, record and files."""

    def __init__(self, training: Training, world: World) -> None:
        self._training = training
        self._world = world
        self._meter = training.new_meter()
        beginning = world.hand_over(None, Beginning)
        training.model.load_state_dict(beginning.model)
        training.optimizer.load_state_dict(beginning.optimizer)
        training.schedule.load_state_dict(beginning.schedule)
        training.precision.load_state_dict(beginning.scaler)
        training.share_out()
        self._epochs = beginning.epochs
        self._epoch, self._batch = beginning.position.epoch, beginning.position.batch
        self.step = beginning.position.step
        self._stops = False
        # Dropout and the like draw other numbers in each process.
        torch.manual_seed((training.spec.seed + beginning.position.step) * world.size + world.rank)

    def run(self) -> None:
        self._obey()
        while self._epoch < self._epochs and not self._stops:
            if self._train_epoch():
                self._close_epoch()
        if not self._stops:
            evaluate_part(self._training, "test")

    def _train_epoch(self) -> bool:
        for _ in train_epoch(self._training, self._epoch, self._batch, self._meter):
            self._batch += 1
            self.step += 1
            if self._world.looks:
                self._obey()
                if self._stops:
                    return False
        return True

    def _close_epoch(self) -> None:
        validation = evaluate_part(self._training, "validation") or {}
        metrics = named("train", self._meter.compute()) | named("validation", validation)
        self._training.schedule.epoch_done(self._training.monitored(metrics))
        self._meter.reset()
        self._epoch += 1
        self._batch = 0
        self._obey()

    def _obey(self) -> None:
        """Do what rank 0 decided between two steps."""
        orders = self._world.hand_over(None, Orders)
        while orders.waits or orders.task:
            self._help(orders)
            orders = self._world.hand_over(None, Orders)
        for name, value in orders.values:
            if name == "epochs":
                self._epochs = int(value)
            else:
                self._training.schedule.set_learning_rate(value)
        self._stops = orders.stops

    def _help(self, orders: Orders) -> None:
        """Do this process's part of what rank 0 does."""
        match orders.task:
            case Task.NONE:
                return
            case Task.CHECK:
                self._training.has_finite_weights()
            case Task.FREE:
                free_cache()
            case Task.MEASURE:
                self._world.gather(self._meter.state_dict(), Measured)
            case Task.KEEP:
                try:
                    self._world.help_keep(orders)
                except DiagnosticError as error:  # rank 0 tells it
                    sys.stderr.write(f"{error}\n")
