"""Settings of a run that can be changed while it goes on, by their names in its specification, and
those of the layers of its model.

``optimizer.lr`` · ``groups.0.weight_decay`` · ``phases.0.optimizer.betas`` · ``clip.limit`` ·
``losses.1.weight`` · ``penalty.l2`` · ``model.features.drop.p`` (the dropout of all layers there) ·
``model.features.frozen``. What stands for a layer is its name in the model or a pattern with a
star, as in groups of parameters.
"""

from typing import Literal, NamedTuple

import msgspec

from engine.catalog.registry import catalog
from engine.catalog.spec import EntryGroup, ParamKind, Value
from engine.diagnostics import Diagnostic, DiagnosticError
from engine.spec.choice import NO_CODE, Code, chosen_entry
from engine.spec.fields import fields, set_value
from engine.spec.phase import recipe_of
from engine.spec.run import RunSpec
from engine.spec.schedule import COMPOSED
from engine.spec.technique_rule import check_techniques

LiveValue = float | bool | str | tuple[float, ...] | None
"""A value as events and commands hold it; whole numbers are floats there."""

DROPOUT, FROZEN = "p", "frozen"
MODEL = "model"
_NUMBERS = (ParamKind.FLOAT, ParamKind.FLOATS)
_AT_START = ("initial_accumulator_value",)  # settings that only new states are made with
_MOMENTUM = ("momentum", "betas")
_PLAIN = (
    *("clip.kind", "clip.limit"),
    *("penalty.l1", "penalty.l2", "penalty.weights_only"),
    *("gradient_noise.variance", "gradient_noise.decay"),
    *("early_stopping.patience", "early_stopping.min_delta"),
)

_OF_TEACHER = ("distillation.temperature", "distillation.weight")
_OF_FORCING = tuple(f"teacher_forcing.{name}" for name in ("ratio", "decay_steps", "final_ratio"))
_BITS = "quantization.bits"
_OF_ROUNDING = (_BITS, *(f"quantization.{name}" for name in ("start", "freeze", "rate")))
_FEWEST_BITS = 2


class LiveChange(msgspec.Struct, frozen=True, kw_only=True):
    """A value that is set once ``step`` steps were taken and ``epoch`` epochs are finished: after
    the last step of an epoch, before its validation or after it. ``epoch`` is -1 in records of
    earlier versions: right after the step.
    """

    step: int
    name: str
    value: LiveValue
    epoch: int = -1


class LayerSetting(NamedTuple):
    """What is set of layers: those that ``match`` names (all where it is empty)."""

    match: str
    what: Literal["p", "frozen"]


def layer_setting(name: str) -> LayerSetting | None:
    """Return what a name says of layers; None for one of the specification."""
    first, _, rest = name.partition(".")
    match, _, what = rest.rpartition(".")
    if first != MODEL or what not in (DROPOUT, FROZEN):
        return None
    return LayerSetting(match, DROPOUT if what == DROPOUT else FROZEN)


def layer_name(match: str, what: Literal["p", "frozen"]) -> str:
    """Return the name of what is set of layers."""
    return ".".join(filter(None, (MODEL, match, what)))


def phase_setting(name: str) -> tuple[int, str]:
    """Return the phase (from 0) that has a setting, and what it is called in the recipe of that
    phase alone: ``phases.0.optimizer.lr`` is ``optimizer.lr`` of the second one.
    """
    first, _, rest = name.partition(".")
    number, _, own = rest.partition(".")
    if first == "phases" and own and number.isdecimal() and number.isascii():
        return int(number) + 1, own
    return 0, name


def live_names(spec: RunSpec, code: Code = NO_CODE) -> frozenset[str]:
    """Return the names of the settings in a specification that can be changed in a run of it."""
    return frozenset(name for name in fields(spec, code) if _is_live(spec, name))


def changed(spec: RunSpec, name: str, value: LiveValue, code: Code = NO_CODE) -> RunSpec:
    """Return the specification of a run with another value of a setting.

    Raises :class:`DiagnosticError`: R472 for a setting that cannot be changed meanwhile, R474 for
    one that the schedule sets, R575 or R576 for rounding that cannot be switched off or on, else
    what is wrong with the value.
    """
    if name in _OF_ROUNDING and not spec.quantization.bits:
        raise DiagnosticError.of("R576", field=name)
    if name not in fields(spec, code) or not _is_live(spec, name):
        raise DiagnosticError.of("R472", field=name[:100], name=name[:100])
    index, own = phase_setting(name)
    first, _, param = own.rpartition(".")
    if param in _MOMENTUM and first.partition(".")[0] in ("optimizer", "groups"):
        _require_own_momentum(recipe_of(spec, index), name)
    new = set_value(spec, name, whole(spec, name, value, code), code)
    if name == _BITS and new.quantization.bits < _FEWEST_BITS:
        raise DiagnosticError.of("R575", field=name, bits=new.quantization.bits)
    known = tuple(check_techniques(spec, None))
    if found := [each for each in check_techniques(new, None) if each not in known]:
        raise DiagnosticError(*found)
    return new


def whole(spec: RunSpec, name: str, value: LiveValue, code: Code = NO_CODE) -> Value:
    """Return a value as its field takes it: a whole number where that is what it is."""
    kind = fields(spec, code)[name].param.kind
    is_whole = kind is ParamKind.INT and isinstance(value, float) and value.is_integer()
    return int(value) if is_whole and isinstance(value, float) else value


def as_number(value: LiveValue) -> float | None:
    """Return a value that is a number, else None."""
    return None if isinstance(value, bool) or not isinstance(value, float) else value


def live_value(value: Value) -> LiveValue:
    """Return the value of a field as events hold it."""
    if isinstance(value, tuple):
        return tuple(float(one) for one in value if isinstance(one, int | float))
    return float(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _is_live(spec: RunSpec, name: str) -> bool:
    index, own = phase_setting(name)
    if index:
        is_there = index <= len(spec.phases) and own.startswith("optimizer.")
        return is_there and _is_live(recipe_of(spec, index), own)
    first, _, rest = name.partition(".")
    param = name.rpartition(".")[2]
    on = {
        **dict.fromkeys(_OF_TEACHER, bool(spec.distillation.teacher)),
        **dict.fromkeys(_OF_FORCING, spec.teacher_forcing.is_on),
        **dict.fromkeys(_OF_ROUNDING, bool(spec.quantization.bits)),
        "averaging.decay": spec.averaging.kind == "ema",
    }
    if name in on:
        return on[name]
    if first == "losses":
        return param == "weight" and "." not in rest.partition(".")[2]  # not those of classes
    if first == "optimizer":
        return bool(rest) and _is_read_each_step(spec, rest)
    if first == "groups":
        return param != "match" and _is_read_each_step(spec, param)
    return name in _PLAIN or name == spec.length


def _is_read_each_step(spec: RunSpec, param: str) -> bool:
    """Return whether an optimizer looks at a setting in every step; flags choose how it works."""
    entry = chosen_entry(EntryGroup.OPTIMIZER, spec.optimizer)
    found = None if entry is None else entry.param(param)
    return found is not None and found.kind in _NUMBERS and param not in _AT_START


def _require_own_momentum(spec: RunSpec, name: str) -> None:
    """Raise R474 where a schedule sets momentum in each of its steps."""
    choices = (spec.scheduler, *(each.scheduler for each in spec.schedules))
    for choice in choices:
        if choice is None or choice.type in COMPOSED:
            continue
        entry = catalog().entry(EntryGroup.SCHEDULER, choice.type)
        if entry is not None and entry.value(choice.params, "cycle_momentum") is True:
            problem = Diagnostic.of("R474", field=name, name=name, scheduler=choice.type)
            raise DiagnosticError(problem)
