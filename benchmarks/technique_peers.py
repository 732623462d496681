"""Steps of Lightning's trainer, taken one at a time: a part of ``benchmarks.techniques``."""

import logging
import tempfile
import threading
import warnings
from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor, nn
from torch.optim.lr_scheduler import CosineAnnealingLR, LinearLR, SequentialLR
from torch.optim.swa_utils import get_ema_multi_avg_fn

from benchmarks.step_time import Batches, Case
from benchmarks.technique_scripts import CLIP, CONVOLUTIONS, EMA, NEVER, RATE, SWA_RATE, WARM_UP
from engine.model.module import to_module


class _OverError(Exception):
    """Ends a fit of which no further steps are wanted."""


class Turns:
    """Hands the processor to and fro between a fit in a thread of its own and who asks for its
    steps.
    """

    def __init__(self) -> None:
        self.wanted, self.taken = threading.Semaphore(0), threading.Semaphore(0)
        self.is_over = False
        self.error: BaseException | None = None

    def step(self) -> None:
        """Have a step be taken."""
        self.wanted.release()
        self.taken.acquire()
        if self.error is not None:
            raise self.error

    def wait(self) -> None:
        """Wait, in the fit, until the next step is wanted."""
        self.taken.release()
        self.wanted.acquire()
        if self.is_over:
            raise _OverError

    def end(self, thread: threading.Thread) -> None:
        """End the fit."""
        self.is_over = True
        self.wanted.release()
        thread.join()


def trainer_settings(peer: str) -> dict[str, Any]:
    """Return what a technique is called in Lightning's trainer; nothing without one. Raises
    ImportError where Lightning is not installed.
    """
    from lightning.pytorch.callbacks import (
        BaseFinetuning,
        EarlyStopping,
        StochasticWeightAveraging,
        WeightAveraging,
    )

    class Waiting(BaseFinetuning):
        def freeze_before_training(self, pl_module: Any) -> None:
            self.freeze(pl_module.model.get_submodule(CONVOLUTIONS[0]))

        def finetune_function(self, pl_module: Any, epoch: int, optimizer: Any) -> None: ...

    ema = WeightAveraging(multi_avg_fn=get_ema_multi_avg_fn(EMA))
    stopping = EarlyStopping("loss", patience=NEVER, check_on_train_epoch_end=True)
    known: dict[str, dict[str, Any]] = {
        "accumulation": {"accumulate_grad_batches": 2},
        "ema": {"callbacks": [ema]},
        "swa": {"callbacks": [StochasticWeightAveraging(SWA_RATE, swa_epoch_start=1)]},
        "norm": {"gradient_clip_val": CLIP, "gradient_clip_algorithm": "norm"},
        "value": {"gradient_clip_val": CLIP, "gradient_clip_algorithm": "value"},
        "unfreezing": {"callbacks": [Waiting()]},
        "stopping": {"callbacks": [stopping]},
    }
    return known.get(peer, {})


def _module(case: Case, peer: str, *, is_on: bool) -> Any:
    import lightning as pl

    class Module(pl.LightningModule):
        def __init__(self) -> None:
            super().__init__()
            self.model, self.criterion = to_module(case.graph), nn.CrossEntropyLoss()

        def training_step(self, batch: tuple[Tensor, Tensor]) -> Tensor:
            loss = self.criterion(self.model(batch[0]), batch[1])
            if peer == "stopping":  # which goes by what is logged; without it, too
                self.log("loss", loss, on_step=False, on_epoch=True)
            return loss

        def configure_optimizers(self) -> Any:
            optimizer = torch.optim.SGD(self.parameters(), lr=RATE)
            if peer != "schedule" or not is_on:
                return optimizer
            parts = [LinearLR(optimizer, total_iters=WARM_UP), CosineAnnealingLR(optimizer, NEVER)]
            schedule = SequentialLR(optimizer, parts, milestones=[WARM_UP])
            return [optimizer], [{"scheduler": schedule, "interval": "step"}]

    return Module()


def lightning_steps(case: Case, peer: str, *, is_on: bool) -> Iterator[object]:
    """Take the batches of Lightning's trainer, for ever, with a technique or without it. Raises
    ImportError where Lightning is not installed.
    """
    import lightning as pl

    turns = Turns()

    class Turning(pl.Callback):
        def on_train_batch_end(self, *_: object) -> None:
            turns.wait()

    settings = trainer_settings(peer) if is_on else {}
    callbacks = [*settings.pop("callbacks", []), Turning()]
    off = ("enable_checkpointing", "enable_progress_bar", "enable_model_summary", "logger")
    loader = torch.utils.data.DataLoader(Batches(case, 0), batch_size=None)

    def fit() -> None:
        turns.wanted.acquire()
        with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
            try:
                pl.Trainer(
                    max_epochs=NEVER,
                    accelerator="cpu",
                    default_root_dir=folder,
                    callbacks=callbacks,
                    **dict.fromkeys(off, False),
                    **settings,
                ).fit(_module(case, peer, is_on=is_on), loader)
            except _OverError:
                return
            except Exception as error:  # noqa: BLE001 - told where the step is asked for
                turns.error = error
                turns.taken.release()

    thread = threading.Thread(target=fit, daemon=True)
    thread.start()
    try:
        while True:
            turns.step()
            yield None
    finally:
        turns.end(thread)
