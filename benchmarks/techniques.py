"""What each technique costs a step besides its own arithmetic.

    python -m benchmarks.techniques [--rounds 60]

The CNN of ``step_time``. Four trainings take their steps in turn in one process, in blocks: our
loop and a plain script that does the same, each with and without the technique. What the technique
takes of our step, less what it takes of the script's, is what the seam costs, in percent of the
plain step without it. Where a step takes several batches, all is told by batch. Lightning does what
it has a name for, in whole fits with and without it, in turn. All is time of the processor, with
one thread. Peers that are not installed are left out with a line.
"""

import argparse
import itertools
import os
import statistics
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1]))
os.environ.setdefault("OMP_NUM_THREADS", "1")

import torch
from msgspec.structs import replace
from torch import nn
from torch.nn.utils import clip_grad_norm_
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

from benchmarks.step_time import Batches, Case, cnn
from engine.model.module import to_module
from engine.spec.run import Choice, ClipSpec
from engine.spec.technique import (
    AccumulationSpec,
    AveragingSpec,
    EarlyStoppingSpec,
    GradientNoiseSpec,
    LayerRatesSpec,
    NoDecaySpec,
    PenaltySpec,
    QuantizationSpec,
)
from engine.train.loop import train_epoch
from engine.train.training import build_training

GOAL = 3.0  # percent of a plain step
BLOCK = 15  # steps
RATE, DECAY, L1, NOISE, CLIP, LAYERS, EMA = 0.01, 0.1, 1e-5, 0.01, 1.0, 0.9, 0.999
ADAMW = Choice(type="AdamW", params={"lr": RATE, "weight_decay": DECAY})


class Technique(NamedTuple):
    """A technique: its name, what it is in our recipe and, where there is one, in Lightning's."""

    name: str
    changes: dict[str, Any]
    base: dict[str, Any] = {}  # noqa: RUF012 - never changed
    trainer: dict[str, Any] = {}  # noqa: RUF012
    optimizer: str = "SGD"
    batches: int = 1


TECHNIQUES = (
    Technique(
        "accumulation of 2 batches",
        {"accumulation": AccumulationSpec(batches=2)},
        trainer={"accumulate_grad_batches": 2},
        batches=2,
    ),
    Technique(
        "moving average of weights",
        {"averaging": AveragingSpec(kind="ema", decay=EMA)},
        trainer={"averages": True},
    ),
    Technique(
        "clipping by norm",
        {"clip": ClipSpec(kind="norm", limit=CLIP)},
        trainer={"gradient_clip_val": CLIP},
    ),
    Technique("L1 penalty", {"penalty": PenaltySpec(l1=L1)}),
    Technique("gradient noise", {"gradient_noise": GradientNoiseSpec(variance=NOISE)}),
    Technique("quantization-aware", {"quantization": QuantizationSpec(bits=8)}),
    Technique("early stopping", {"early_stopping": EarlyStoppingSpec(patience=1_000_000)}),
    Technique(
        "no decay of biases and norms",
        {"no_decay": NoDecaySpec(biases_and_norms=True)},
        base={"optimizer": ADAMW},
        optimizer="AdamW",
    ),
    Technique("rates by layer", {"layer_rates": LayerRatesSpec(decay=LAYERS)}),
)


def ours(case: Case, changes: dict[str, Any]) -> Iterator[object]:
    """Take the steps of our loop, for ever."""
    training = build_training(case.graph, replace(case.spec, **changes), to_module(case.graph))
    meter = training.new_meter()
    for epoch in itertools.count():
        yield from train_epoch(training, epoch, 0, meter)
        meter.reset()


def groups(model: nn.Module, name: str) -> list[dict[str, Any]]:
    """Return the parameter groups of a script."""
    weights = list(model.parameters())
    if name == "no decay of biases and norms":
        bare = [weight for weight in weights if weight.ndim < 2]
        rest = [weight for weight in weights if weight.ndim > 1]
        return [{"params": rest}, {"params": bare, "weight_decay": 0.0}]
    if name == "rates by layer":
        layers = [list(layer.parameters()) for layer in model.children()]
        layers = [layer for layer in layers if layer]
        last = len(layers) - 1
        return [
            {"params": layer, "lr": RATE * LAYERS ** (last - number)}
            for number, layer in enumerate(layers)
        ]
    return [{"params": weights}]


def rounded(model: nn.Module) -> list[Any]:
    """Have the layers of a script's model round weights and inputs; return these layers."""

    class Rounding:
        low = high = seen = None

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            self.seen = x.detach().aminmax()
            if self.low is not None:
                scale = (self.high - self.low) / 255
                zero = torch.round(-self.low / scale).int()
                x = torch.fake_quantize_per_tensor_affine(x, scale, zero, 0, 255)
            scale = self.weight.detach().flatten(1).abs().amax(1) / 127
            zero = torch.zeros(len(scale), dtype=torch.int32)
            weight = torch.fake_quantize_per_channel_affine(self.weight, scale, zero, 0, -127, 127)
            if isinstance(self, nn.Linear):
                return nn.functional.linear(x, weight, self.bias)
            return self._conv_forward(x, weight, self.bias)

        def update(self) -> None:
            low, high = self.seen[0].clamp(max=0), self.seen[1].clamp(min=0)
            self.low = low if self.low is None else torch.lerp(self.low, low, 0.01)
            self.high = high if self.high is None else torch.lerp(self.high, high, 0.01)

    kinds = {kind: type(kind.__name__, (Rounding, kind), {}) for kind in (nn.Linear, nn.Conv2d)}
    layers = [layer for layer in model.modules() if type(layer) in kinds]
    for layer in layers:
        layer.__class__ = kinds[type(layer)]
    return layers


def plain(case: Case, name: str, optimizer_name: str) -> Iterator[object]:
    """Take the steps of a script that does the same, for ever."""
    model, criterion = to_module(case.graph), nn.CrossEntropyLoss()
    settings = {"weight_decay": DECAY} if optimizer_name == "AdamW" else {}
    make = getattr(torch.optim, optimizer_name)
    optimizer = make(groups(model, name), lr=RATE, **settings)
    average = AveragedModel(model, multi_avg_fn=get_ema_multi_avg_fn(EMA))
    weights = [weight for weight in model.parameters() if weight.ndim > 1]
    layers = rounded(model) if name == "quantization-aware" else []
    size = 2 if name.startswith("accumulation") else 1
    taken = 0
    for epoch in itertools.count():
        batches = iter(case.batches(epoch))
        while indices := list(itertools.islice(batches, size)):
            optimizer.zero_grad()
            for index in indices:
                loss = criterion(model(case.x[index]), case.y[index])
                if name == "L1 penalty":
                    loss = loss + L1 * sum(weight.abs().sum() for weight in weights)
                (loss if size == 1 else loss / size).backward()
                loss.item()
            if name == "gradient noise":
                deviation = (NOISE / (1 + taken) ** 0.55) ** 0.5
                for weight in model.parameters():
                    if weight.grad is not None:
                        weight.grad.add_(torch.randn_like(weight), alpha=deviation)
            if name == "clipping by norm":
                clip_grad_norm_(model.parameters(), CLIP)
            optimizer.step()
            if name == "moving average of weights":
                average.update_parameters(model)
            for layer in layers:
                layer.update()
            taken += 1
            yield None


def block(steps: Iterator[object]) -> float:
    """Return the processor's seconds of a step, the mean of a block."""
    begun = time.process_time()
    for _ in range(BLOCK):
        next(steps)
    return (time.process_time() - begun) / BLOCK


def lightning(case: Case, technique: Technique, *, is_on: bool) -> float:
    """Return the processor's seconds that a step of a fit takes. Raises ImportError without it."""
    import lightning as pl
    from lightning.pytorch.callbacks import WeightAveraging

    class Module(pl.LightningModule):
        def __init__(self) -> None:
            super().__init__()
            self.model, self.criterion = to_module(case.graph), nn.CrossEntropyLoss()

        def training_step(self, batch: tuple[torch.Tensor, torch.Tensor]) -> torch.Tensor:
            return self.criterion(self.model(batch[0]), batch[1])

        def configure_optimizers(self) -> torch.optim.Optimizer:
            return torch.optim.SGD(self.parameters(), lr=RATE)

    settings = dict(technique.trainer) if is_on else {}
    averages = settings.pop("averages", False)
    callbacks = [WeightAveraging(multi_avg_fn=get_ema_multi_avg_fn(EMA))] if averages else []
    off = ("enable_checkpointing", "enable_progress_bar", "enable_model_summary", "logger")
    loader = torch.utils.data.DataLoader(Batches(case, 0), batch_size=None)
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        trainer = pl.Trainer(
            max_epochs=case.spec.epochs,
            accelerator="cpu",
            default_root_dir=folder,
            callbacks=callbacks,
            **dict.fromkeys(off, False),
            **settings,
        )
        begun = time.process_time()
        trainer.fit(Module(), loader)
        taken = time.process_time() - begun
    return taken / max(trainer.global_step * settings.get("accumulate_grad_batches", 1), 1)


def measure(case: Case, technique: Technique, rounds: int) -> float:
    """Print a row; return what the seam costs, in percent of a plain step."""
    name, optimizer = technique.name, technique.optimizer
    sizes = {"plain with": technique.batches, "ours with": technique.batches}
    trainings = {
        "plain": plain(case, "", optimizer),
        "plain with": plain(case, name, optimizer),
        "ours": ours(case, technique.base),
        "ours with": ours(case, technique.base | technique.changes),
    }
    for steps in trainings.values():
        block(steps)  # warm up
    times: dict[str, list[float]] = {key: [] for key in trainings}
    for _ in range(rounds):
        for key, steps in trainings.items():
            times[key].append(block(steps) / sizes.get(key, 1))
    step = {key: statistics.median(values) for key, values in times.items()}
    base = step["plain"]
    script = 100 * (step["plain with"] - base) / base
    loop = 100 * (step["ours with"] - step["ours"]) / base
    peer = lightning_text(case, technique, base)
    print(
        f"{name:30} {base * 1e6:7.0f} us {step['ours'] / base:6.2f} {script:+8.1f} {loop:+8.1f} "
        f"{loop - script:+8.1f}  {peer}",
        flush=True,
    )
    return loop - script


def lightning_text(case: Case, technique: Technique, base: float) -> str:
    """Return what the technique takes of Lightning's step, in percent of a plain one."""
    if not technique.trainer:
        return "-"
    try:
        pairs = [
            (lightning(case, technique, is_on=True), lightning(case, technique, is_on=False))
            for _ in range(3)
        ]
    except ImportError as error:
        return f"{error.name} is not installed"
    return f"{100 * statistics.median(on - off for on, off in pairs) / base:+.1f}"


def main() -> int:
    """Measure all techniques; 1 when one costs more than the goal."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--quick", action="store_true", help="few rounds")
    options = parser.parse_args()
    torch.set_num_threads(1)
    case = cnn(1)
    rounds = 8 if options.quick else options.rounds
    print(f"{'':30} {'plain':>10} {'ours':>6} {'script %':>8} {'ours %':>8} {'seam %':>8}  peer %")
    costs = [measure(case, technique, rounds) for technique in TECHNIQUES]
    return 0 if max(costs) <= GOAL else 1


if __name__ == "__main__":
    sys.exit(main())
