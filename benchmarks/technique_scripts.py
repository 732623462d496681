"""What each technique is in a recipe, and a plain script that computes the same with it.

The parts of ``benchmarks.techniques``: it measures one against the other.
"""

import itertools
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import torch
from msgspec.structs import replace
from torch import Tensor, nn
from torch.nn.functional import kl_div
from torch.nn.utils import clip_grad_norm_, clip_grad_value_, get_total_norm
from torch.optim.lr_scheduler import CosineAnnealingLR, LinearLR, SequentialLR
from torch.optim.swa_utils import SWALR, AveragedModel, get_ema_multi_avg_fn
from torch.utils.checkpoint import checkpoint

from benchmarks.step_time import Case
from engine.graph.edit.lora import AddLora, apply_lora
from engine.graph.model import Graph
from engine.graph.node_state.recomputation import RecomputeNodes, recompute_nodes
from engine.model.module import to_module
from engine.spec.run import (
    Choice,
    ClipSpec,
    PhaseRule,
    PhaseSpec,
    RunSpec,
    ScheduleTerm,
)
from engine.spec.technique import (
    AccumulationSpec,
    AveragingSpec,
    DistillationSpec,
    EarlyStoppingSpec,
    GradientNoiseSpec,
    LayerRatesSpec,
    NoDecaySpec,
    PenaltySpec,
    QuantizationSpec,
    UnfreezingSpec,
)
from engine.spec.transform import BatchTransformSpec

RATE, DECAY, PENALTY, NOISE, CLIP, LAYERS, EMA = 0.01, 0.1, 1e-5, 0.01, 1.0, 0.9, 0.999
SWA_RATE, SMOOTHING, RANK, TEMPERATURE, WARM_UP = 0.005, 0.1, 4, 2.0, 100
NEVER = 900_000
CLASSES = 10
CONVOLUTIONS, HEAD = ("conv2d2", "conv2d5"), "linear9"
ADAMW = Choice(type="AdamW", params={"lr": RATE, "weight_decay": DECAY})


@dataclass
class Script:
    """A plain script: one loop, and in it what is not None. ``size`` batches make a step."""

    case: Case
    optimizer: str = "SGD"
    size: int = 1

    def __post_init__(self) -> None:
        self.model: nn.Module = to_module(self.case.graph)
        self.criterion: nn.Module = nn.CrossEntropyLoss()
        self.groups: list[dict[str, Any]] | None = None
        self.order: Callable[[int], list[Tensor]] = self.case.batches
        self.begun: Callable[[int], None] | None = None
        self.mix: Callable[[Tensor, Tensor], tuple[Tensor, Tensor]] | None = None
        self.added: Callable[[Tensor, Tensor, Tensor], Tensor] | None = None
        self.gradients: Callable[[int, float], None] | None = None
        self.updated: Callable[[], None] | None = None
        self.epoch_done: Callable[[], None] | None = None
        self.more: list[torch.optim.Optimizer] = []

    def made_optimizer(self) -> torch.optim.Optimizer:
        """Return the optimizer over the groups, of one alone where nothing divides them."""
        settings = {"weight_decay": DECAY} if self.optimizer == "AdamW" else {}
        weights = [weight for weight in self.model.parameters() if weight.requires_grad]
        make = getattr(torch.optim, self.optimizer)
        self.made = make(self.groups or weights, lr=RATE, **settings)
        return self.made

    def steps(self, setting: "Callable[[Script], None] | None" = None) -> Iterator[object]:
        """Take the steps for ever, with what a setting puts into the loop."""
        (setting or (lambda _: None))(self)
        optimizer = self.made if hasattr(self, "made") else self.made_optimizer()
        model, criterion, case = self.model, self.criterion, self.case
        taken = 0
        for epoch in itertools.count():
            batches = iter(self.order(epoch))
            while indices := list(itertools.islice(batches, self.size)):
                optimizer.zero_grad()
                for other in self.more:
                    other.zero_grad()
                if self.begun:
                    self.begun(taken)
                for index in indices:
                    x, y = case.x[index], case.y[index]
                    if self.mix:
                        x, y = self.mix(x, y)
                    output = model(x)
                    loss = criterion(output, y)
                    if self.added:
                        loss = self.added(loss, output, x)
                    (loss if self.size == 1 else loss / self.size).backward()
                    value = loss.item()
                if self.gradients:
                    self.gradients(taken, value)
                optimizer.step()
                for other in self.more:
                    other.step()
                if self.updated:
                    self.updated()
                taken += 1
                yield None
            if self.epoch_done:
                self.epoch_done()


def ema(script: Script) -> None:
    average = AveragedModel(script.model, multi_avg_fn=get_ema_multi_avg_fn(EMA))
    script.updated = lambda: average.update_parameters(script.model)


def swa(script: Script) -> None:
    average = AveragedModel(script.model)
    schedule = SWALR(script.made_optimizer(), swa_lr=SWA_RATE)

    def epoch_done() -> None:
        average.update_parameters(script.model)
        schedule.step()

    script.epoch_done = epoch_done


def clipped(script: Script, kind: str) -> None:
    weights = list(script.model.parameters())
    clip = clip_grad_norm_ if kind == "norm" else clip_grad_value_
    script.gradients = lambda _, __: clip(weights, CLIP)


def penalty(script: Script, size: Callable[[Tensor], Tensor]) -> None:
    weights = [weight for weight in script.model.parameters() if weight.ndim > 1]
    script.added = lambda loss, _, __: loss + PENALTY * sum(size(weight) for weight in weights)


def noise(script: Script) -> None:
    weights = list(script.model.parameters())

    def gradients(taken: int, _: float) -> None:
        deviation = (NOISE / (1 + taken) ** 0.55) ** 0.5
        for weight in weights:
            weight.grad.add_(torch.randn_like(weight), alpha=deviation)

    script.gradients = gradients


def smoothed(script: Script) -> None:
    script.criterion = nn.CrossEntropyLoss(label_smoothing=SMOOTHING)


def no_decay(script: Script) -> None:
    weights = list(script.model.parameters())
    script.groups = [
        {"params": [weight for weight in weights if weight.ndim > 1]},
        {"params": [weight for weight in weights if weight.ndim < 2], "weight_decay": 0.0},
    ]


def layer_rates(script: Script) -> None:
    layers = [list(layer.parameters()) for layer in script.model.children()]
    layers = [layer for layer in layers if layer]
    script.groups = [
        {"params": layer, "lr": RATE * LAYERS ** (len(layers) - 1 - number)}
        for number, layer in enumerate(layers)
    ]


def held(script: Script) -> None:
    script.made_optimizer()  # which has them from the start
    script.model.get_submodule(CONVOLUTIONS[0]).requires_grad_(requires_grad=False)


def stopping(script: Script) -> None:
    best, waited = math.inf, 0

    def epoch_done() -> None:
        nonlocal best, waited
        best, waited = (1.0, 0) if best > 1.0 else (best, waited + 1)

    script.epoch_done = epoch_done


def checked(script: Script) -> None:
    weights = list(script.model.parameters())

    def gradients(_: int, value: float) -> None:
        largest = get_total_norm([weight.grad for weight in weights], norm_type=math.inf)
        assert math.isfinite(value)
        assert torch.isfinite(largest)

    script.gradients = gradients


def distilled(script: Script) -> None:
    teacher = to_module(script.case.graph).eval().requires_grad_(requires_grad=False)

    def added(loss: Tensor, output: Tensor, x: Tensor) -> Tensor:
        with torch.no_grad():
            answer = (teacher(x) / TEMPERATURE).log_softmax(1)
        own = (output / TEMPERATURE).log_softmax(1)
        apart = kl_div(own, answer, reduction="batchmean", log_target=True) * TEMPERATURE**2
        apart.item()  # for the log
        return 0.5 * loss + 0.5 * apart

    script.added = added


def mixed(script: Script, kind: str) -> None:
    from torchvision.transforms import v2

    script.mix = getattr(v2, kind)(num_classes=CLASSES)


def balanced(script: Script) -> None:
    labels = script.case.y
    shares = (1 / torch.bincount(labels).double())[labels]

    def order(_: int) -> list[Tensor]:
        return list(torch.multinomial(shares, len(shares), replacement=True).split(32))

    script.order = order


class Lora(nn.Module):
    def __init__(self, layer: nn.Module) -> None:
        super().__init__()
        self.layer = layer.requires_grad_(requires_grad=False)
        if isinstance(layer, nn.Conv2d):
            self.down = nn.Conv2d(layer.in_channels, RANK, layer.kernel_size, bias=False)
            self.up = nn.Conv2d(RANK, layer.out_channels, 1, bias=False)
        else:
            self.down = nn.Linear(layer.in_features, RANK, bias=False)
            self.up = nn.Linear(RANK, layer.out_features, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        return self.layer(x) + self.up(self.down(x)) * (16 / RANK)


def adapted(script: Script) -> None:
    for name in (*CONVOLUTIONS, HEAD):
        setattr(script.model, name, Lora(script.model.get_submodule(name)))


class Recomputed(nn.Module):
    def __init__(self, layer: nn.Module) -> None:
        super().__init__()
        self.layer = layer

    def forward(self, x: Tensor) -> Tensor:
        return checkpoint(self.layer, x, use_reentrant=False)


def recomputed(script: Script) -> None:
    for name in CONVOLUTIONS:
        setattr(script.model, name, Recomputed(script.model.get_submodule(name)))


def scheduled(script: Script) -> None:
    optimizer = script.made_optimizer()
    parts = [LinearLR(optimizer, total_iters=WARM_UP), CosineAnnealingLR(optimizer, NEVER)]
    schedule = SequentialLR(optimizer, parts, milestones=[WARM_UP])
    script.updated = schedule.step


def two_optimizers(script: Script) -> None:
    matched = {name: script.model.get_submodule(name) for name in CONVOLUTIONS}
    first = [weight for layer in matched.values() for weight in layer.parameters()]
    own = {id(weight) for weight in first}
    rest = [weight for weight in script.model.parameters() if id(weight) not in own]
    script.made = torch.optim.SGD(first, lr=RATE)
    script.more = [torch.optim.AdamW(rest, lr=RATE, weight_decay=DECAY)]


def in_turn(script: Script) -> None:
    two_optimizers(script)
    one, two = script.made, script.more[0]
    members = [one.param_groups[0]["params"], two.param_groups[0]["params"]]

    def begun(taken: int) -> None:
        for number, weights in enumerate(members):
            for weight in weights:
                weight.requires_grad_(requires_grad=number == taken % 2)

    script.begun = begun  # a weight without a gradient is left out by its optimizer


def rounded(script: Script) -> None:
    """Have the layers of the model round weights and inputs."""

    class Rounding:
        low = high = seen = None

        def forward(self, x: Tensor) -> Tensor:
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
    layers = [layer for layer in script.model.modules() if type(layer) in kinds]
    for layer in layers:
        layer.__class__ = kinds[type(layer)]

    def updated() -> None:
        for layer in layers:
            layer.update()

    script.updated = updated


def with_lora(graph: Graph) -> Graph:
    places = ("n2", "n5", "n9")
    return apply_lora(AddLora(places=places, rank=RANK, freeze_rest=False), graph)


def with_recomputed(graph: Graph) -> Graph:
    return recompute_nodes(RecomputeNodes(ids=("n2", "n5")), graph)


def _balanced(spec: RunSpec) -> RunSpec:
    return replace(spec, data=replace(spec.data, sampler="balanced"))


def _blended(kind: str) -> Callable[[RunSpec], RunSpec]:
    transforms = (BatchTransformSpec(type=kind),)
    return lambda spec: replace(spec, data=replace(spec.data, batch_transforms=transforms))


def _smoothed(spec: RunSpec) -> RunSpec:
    loss = Choice(type="CrossEntropyLoss", params={"label_smoothing": SMOOTHING})
    return replace(spec, losses=(replace(spec.losses[0], loss=loss),))


def _with(**changes: Any) -> Callable[[RunSpec], RunSpec]:
    return lambda spec: replace(spec, **changes)


def _phases(steps: int) -> Callable[[RunSpec], RunSpec]:
    return _with(
        phase=PhaseRule(match=",".join(CONVOLUTIONS), steps=steps),
        phases=(PhaseSpec(match=HEAD, optimizer=ADAMW, steps=steps),),
    )


@dataclass(frozen=True)
class Technique:
    """A technique: what it is in our recipe or graph, in a plain script, and whether Lightning has
    a name for it (``peer``). ``base`` is what both have without it, too.
    """

    name: str
    recipe: Callable[[RunSpec], RunSpec]
    script: Callable[[Script], None] | None = None
    graph: Callable[[Graph], Graph] = field(default=lambda graph: graph)
    base: Callable[[RunSpec], RunSpec] = field(default=lambda spec: spec)
    optimizer: str = "SGD"
    batches: int = 1
    peer: str = ""


NAMED = (
    Technique(
        "accumulation of 2 batches",
        _with(accumulation=AccumulationSpec(batches=2)),
        batches=2,
        peer="accumulation",
    ),
    Technique(
        "moving average (EMA)",
        _with(averaging=AveragingSpec(kind="ema", decay=EMA)),
        ema,
        peer="ema",
    ),
    Technique(
        "mean of epochs (SWA)",
        _with(averaging=AveragingSpec(kind="swa", start=0, swa_lr=SWA_RATE)),
        swa,
        peer="swa",
    ),
    Technique(
        "clipping by norm",
        _with(clip=ClipSpec(kind="norm", limit=CLIP)),
        partial(clipped, kind="norm"),
        peer="norm",
    ),
    Technique(
        "clipping by value",
        _with(clip=ClipSpec(kind="value", limit=CLIP)),
        partial(clipped, kind="value"),
        peer="value",
    ),
    Technique(
        "L1 penalty",
        _with(penalty=PenaltySpec(l1=PENALTY)),
        partial(penalty, size=lambda weight: weight.abs().sum()),
    ),
    Technique(
        "L2 penalty",
        _with(penalty=PenaltySpec(l2=PENALTY)),
        partial(penalty, size=lambda weight: weight.square().sum()),
    ),
    Technique("gradient noise", _with(gradient_noise=GradientNoiseSpec(variance=NOISE)), noise),
    Technique("label smoothing", _smoothed, smoothed),
    Technique("MixUp", _blended("MixUp"), partial(mixed, kind="MixUp")),
    Technique("CutMix", _blended("CutMix"), partial(mixed, kind="CutMix")),
    Technique("balanced sampling", _balanced, balanced),
    Technique(
        "no decay of biases and norms",
        _with(no_decay=NoDecaySpec(biases_and_norms=True)),
        no_decay,
        base=_with(optimizer=ADAMW),
        optimizer="AdamW",
    ),
    Technique("rates by layer", _with(layer_rates=LayerRatesSpec(decay=LAYERS)), layer_rates),
    Technique(
        "warm-up, then cosine, by step",
        _with(
            scheduler=Choice(type="LinearLR", params={"total_iters": WARM_UP}),
            schedules=(
                ScheduleTerm(
                    scheduler=Choice(type="CosineAnnealingLR", params={"T_max": NEVER}),
                    start=WARM_UP,
                ),
            ),
            scheduler_interval="step",
        ),
        scheduled,
        peer="schedule",
    ),
    Technique("two optimizers", _phases(0), two_optimizers),
    Technique("two phases in turn", _phases(1), in_turn),
    Technique(
        "unfreezing (a layer that waits)",
        _with(unfreezing=UnfreezingSpec(schedule=f"{CONVOLUTIONS[0]}={NEVER}")),
        held,
        peer="unfreezing",
    ),
    Technique(
        "early stopping",
        _with(early_stopping=EarlyStoppingSpec(patience=NEVER)),
        stopping,
        peer="stopping",
    ),
    Technique("steps not finite left out", _with(non_finite="skip"), checked),
    Technique("roll back where not finite", _with(non_finite="roll_back"), checked),
    Technique("distillation", _with(distillation=DistillationSpec(teacher="run-0001")), distilled),
    Technique("quantization-aware", _with(quantization=QuantizationSpec(bits=8)), rounded),
    Technique("LoRA", _with(), adapted, graph=with_lora),
    Technique("activation checkpointing", _with(), recomputed, graph=with_recomputed),
)
"""Every technique of the catalogue that a step of this CNN can have, in the order of the table. Not
here: teacher forcing, which wants text, and test-time augmentation, which is no part of a step.
"""
