"""The optimizers of torch.optim and the schedulers of torch.optim.lr_scheduler."""

import inspect
from typing import Any

from torch import optim
from torch.optim import lr_scheduler

from engine.catalog.spec import AUTO, Entry, EntryGroup, Need, ParamKind
from tools.catalog.bound import BELOW_ONE, UNIT
from tools.catalog.docstring import markdown, summary
from tools.catalog.introspect import params_of
from tools.catalog.schedule import composed_schedules

ORDER = ("Adam", "AdamW", "SGD", "RMSprop", "NAdam", "RAdam", "Adagrad", "Adadelta", "Adamax")
POSITIVE = {"minimum": 0.0, "exclusive_minimum": True, "maximum": 1e6}
NOT_NEGATIVE = {"minimum": 0.0, "maximum": 1e9}
SUMMARIES = {
    "Adam": "Steps scaled by running means of the gradient and its square; a good default.",
    "AdamW": "Adam with decoupled weight decay; the usual choice for transformers.",
    "SGD": "Stochastic gradient descent, optionally with momentum.",
    "RMSprop": "Steps divided by the root of a running mean of the squared gradient.",
    "NAdam": "Adam with Nesterov momentum.",
    "RAdam": "Adam with a rectified variance, which acts like a warm-up.",
    "Adagrad": "Steps that shrink with the sum of squared gradients; for sparse features.",
    "Adadelta": "Adagrad with a moving window, which needs no tuned learning rate.",
    "Adamax": "Adam with the infinity norm of the gradient instead of the mean square.",
    "Adafactor": "Adam with less memory: stores only row and column statistics.",
    "ASGD": "Stochastic gradient descent that averages the weights.",
    "LBFGS": "A quasi-Newton method: few steps, each with several evaluations of the batch.",
    "Muon": "Orthogonalized momentum; for the weight matrices of hidden layers only.",
    "Rprop": "Steps that depend only on the sign of the gradient; for full-batch training.",
    "SparseAdam": "Adam for sparse gradients of embeddings.",
}
NEEDS = {
    "LBFGS": (Need.CLOSURE,),
    "SparseAdam": (Need.SPARSE_GRADIENTS,),
    "Muon": (Need.MATRICES,),
    "ReduceLROnPlateau": (Need.METRIC,),
    "OneCycleLR": (Need.EVERY_STEP, Need.RUN_LENGTH),
    "CyclicLR": (Need.EVERY_STEP,),
    "CosineAnnealingLR": (Need.RUN_LENGTH,),
}
# capturable and differentiable serve CUDA graphs and gradients of the optimizer itself.
HIDDEN = ("capturable", "differentiable", "scale_fn", "scale_mode", "epochs", "steps_per_epoch")
ADVANCED = {"foreach", "fused", "maximize", "amsgrad", "decoupled_weight_decay", "cooldown"}
MUON_RATES = ("original", "match_rms_adamw", "spectral_unclamped")
OVERLAY: dict[str, dict[str, Any]] = {
    **{name: {"advanced": True} for name in ADVANCED},
    "momentum_decay": NOT_NEGATIVE,
    "lr_decay": NOT_NEGATIVE,
    "initial_accumulator_value": {**NOT_NEGATIVE, "advanced": True},
    "dampening": UNIT,
    "t0": {**NOT_NEGATIVE, "advanced": True},
    "etas": {"minimum": 0.0, "exclusive_minimum": True, "maximum": 100.0},
    "step_sizes": POSITIVE,
    "max_iter": {"minimum": 1, "maximum": 100_000},
    "max_eval": {"kind": ParamKind.INT, "minimum": 1, "maximum": 100_000},
    "history_size": {"minimum": 1, "maximum": 100_000},
    "tolerance_grad": NOT_NEGATIVE,
    "lr": {"label": "Learning rate"},
    "tolerance_change": NOT_NEGATIVE,
    "line_search_fn": {"kind": ParamKind.CHOICE, "choices": ("strong_wolfe",)},
    "ns_coefficients": {"minimum": -1000.0, "maximum": 1000.0, "advanced": True},
    "ns_steps": {"minimum": 1, "maximum": 99},
    "adjust_lr_fn": {"kind": ParamKind.CHOICE, "choices": MUON_RATES},
    "beta2_decay": {"minimum": -1000.0, "maximum": 0.0},
    "d": {"minimum": 1.0, "maximum": 1e6, "help": "The limit for the root mean square of a step."},
    "base_momentum": {"kind": ParamKind.FLOAT, **BELOW_ONE},
    "max_momentum": {"kind": ParamKind.FLOAT, **BELOW_ONE},
    "base_lr": {"kind": ParamKind.FLOAT, "suggested": 0.0001},
    "max_lr": {"kind": ParamKind.FLOAT, "suggested": 0.01},
    "min_lr": {"kind": ParamKind.FLOAT},
    "step_size": {"suggested": 5},
    "step_size_up": {"minimum": 1, "maximum": 1_000_000_000, "suggested": 100},
    "step_size_down": {"kind": ParamKind.INT, "minimum": 1, "maximum": 1_000_000_000},
    "milestones": {"kind": ParamKind.SHAPE, "suggested": (5, 8)},
    "power": {"minimum": 0.0, "maximum": 100.0},
    "div_factor": {"minimum": 1e-6, "maximum": 1e12},
    "final_div_factor": {"minimum": 1e-6, "maximum": 1e12},  # smaller ones overflow the rate
    "threshold": NOT_NEGATIVE,
    "T_0": {"suggested": 5},
    "gamma": {"maximum": 10.0},
    "lr_lambda": {
        "kind": ParamKind.STR,
        "label": "Factor",
        "suggested": "1 / (1 + 0.1 * step)",
        "help": (
            "The factor of the learning rate as an expression: step counts the epochs or steps "
            "so far from 0, total is their number in the run. With + - * / // % **, comparisons, "
            "“a if test else b”, min, max, abs, sqrt, exp, log, sin, cos, tanh, floor, pi and e. "
            "A warm-up: min(1, (step + 1) / 100)."
        ),
    },
    "T_max": {
        "auto": True,
        "suggested": AUTO,
        "help": "The length of half a cosine in epochs or steps. “auto”: the length of the run.",
    },
    "total_steps": {
        "kind": ParamKind.INT,
        "auto": True,
        "optional": False,
        "default": AUTO,
        "minimum": 1,
        "maximum": 1_000_000_000,
        "help": "The length of the cycle in steps. “auto”: the length of the run.",
    },
}
BY_CLASS: dict[str, dict[str, dict[str, Any]]] = {
    "RMSprop": {"alpha": UNIT, "momentum": {"maximum": 1.0}},
    "ASGD": {"alpha": UNIT},
    "SparseAdam": {"eps": {"exclusive_minimum": True}},
    "ExponentialLR": {"gamma": {"suggested": 0.95}},
    "CyclicLR": {"gamma": {"maximum": 1.0}},
    "ConstantLR": {"factor": {"maximum": 1.0}},
    "LinearLR": {
        "start_factor": {"maximum": 1.0},
        "end_factor": {"exclusive_minimum": False, "maximum": 1.0},
    },
    "ReduceLROnPlateau": {"factor": {"maximum": 1.0, "exclusive_maximum": True}},
    "OneCycleLR": {
        "pct_start": {"exclusive_minimum": True, "exclusive_maximum": True},
        "max_lr": {"suggested": 0.01},
    },
}
SCHEDULERS = (
    "StepLR", "CosineAnnealingLR", "OneCycleLR", "ReduceLROnPlateau", "ExponentialLR",
    "MultiStepLR", "LinearLR", "ConstantLR", "PolynomialLR", "CosineAnnealingWarmRestarts",
    "CyclicLR", "LambdaLR", "MultiplicativeLR",
)  # fmt: skip
SCHEDULERS_NOT_OFFERED = {
    "LRScheduler": "The base class of all schedulers.",
    "ChainedScheduler": "Several schedulers, chosen one after another, with the order “chained”.",
    "SequentialLR": "Several schedulers, chosen one after another, with the order “series”.",
    "SWALR": "Belongs to averaged weights (torch.optim.swa_utils); LinearLR does the same here.",
}
SCHEDULER_SUMMARIES = {
    "StepLR": "Multiplies the learning rate by gamma every few epochs.",
    "CosineAnnealingLR": "Decreases the learning rate along half a cosine, with little to tune.",
    "OneCycleLR": (
        "Increases and decreases the learning rate once over the whole run; stepped after each "
        "batch."
    ),
    "ReduceLROnPlateau": "Decreases the learning rate when the monitored value stops improving.",
    "ExponentialLR": "Multiplies the learning rate by gamma every epoch.",
    "MultiStepLR": "Multiplies the learning rate by gamma at given epochs.",
    "LinearLR": (
        "Changes the learning rate linearly over the first epochs, for example as a warm-up."
    ),
    "ConstantLR": "A smaller learning rate for the first epochs, then the full one.",
    "PolynomialLR": "Decreases the learning rate to 0 polynomially.",
    "CosineAnnealingWarmRestarts": (
        "Repeated cosine annealing, each time from the full learning rate."
    ),
    "CyclicLR": "Cycles between two learning rates; stepped after each batch.",
    "LambdaLR": "The learning rate times an expression over the steps, such as 0.95 ** step.",
    "MultiplicativeLR": "Multiplies the learning rate by an expression, again and again.",
}
ALIASES = {
    "SGD": ("stochastic gradient descent", "momentum", "nesterov"),
    "LBFGS": ("newton", "quasi-newton"),
    "CosineAnnealingLR": ("cosine",),
    "OneCycleLR": ("one cycle", "super convergence"),
    "LinearLR": ("warm-up", "warmup"),
    "ReduceLROnPlateau": ("plateau",),
    "LambdaLR": ("expression", "formula", "function"),
}


def optimizer_names() -> list[str]:
    """Return the optimizers that torch.optim exports."""
    return [
        name
        for name, member in inspect.getmembers(optim, inspect.isclass)
        if issubclass(member, optim.Optimizer) and member is not optim.Optimizer
    ]


def scheduler_names() -> list[str]:
    """Return the schedulers that torch.optim.lr_scheduler exports."""
    return [
        name
        for name, member in inspect.getmembers(lr_scheduler, inspect.isclass)
        if issubclass(member, lr_scheduler.LRScheduler) and not name.startswith("_")
    ]


def optimizer_entries() -> list[Entry]:
    """Return the optimizers, the usual ones first."""
    names = sorted(optimizer_names(), key=lambda n: (n not in ORDER, (*ORDER, n).index(n), n))
    return [
        _entry(name, getattr(optim, name), EntryGroup.OPTIMIZER, SUMMARIES[name]) for name in names
    ]


def scheduler_entries() -> list[Entry]:
    """Return the schedulers that need neither a function nor other schedulers."""
    unknown = set(scheduler_names()) - set(SCHEDULERS) - set(SCHEDULERS_NOT_OFFERED)
    if unknown:
        raise LookupError(f"Schedulers that are neither offered nor left out: {sorted(unknown)}")
    return [
        _entry(name, getattr(lr_scheduler, name), EntryGroup.SCHEDULER, SCHEDULER_SUMMARIES[name])
        for name in SCHEDULERS
    ] + composed_schedules()


def _entry(name: str, owner: type, group: EntryGroup, text: str) -> Entry:
    own = BY_CLASS.get(name, {})
    overlay = {key: OVERLAY.get(key, {}) | own.get(key, {}) for key in OVERLAY | own}
    # Adafactor's eps holds a None within a tuple, which no other parameter does.
    hidden = (*HIDDEN, "eps") if name == "Adafactor" else HIDDEN
    space = "torch.optim" if group is EntryGroup.OPTIMIZER else "torch.optim.lr_scheduler"
    return Entry(
        key=name,
        group=group,
        category="Optimizer" if group is EntryGroup.OPTIMIZER else "Scheduler",
        label=name,
        target=f"{space}.{name}",
        summary=text or summary(owner.__doc__ or ""),
        doc=markdown(owner.__doc__ or ""),
        params=params_of(owner, overlay, 0, hidden),
        aliases=ALIASES.get(name, ()),
        needs=NEEDS.get(name, ()),
    )
