"""The optimizers that can race against one another, and what is known of them."""

from dataclasses import dataclass

from engine.catalog.registry import catalog
from engine.catalog.spec import EntryGroup, Value
from engine.query.landscape.request import FunctionName, Racer
from engine.spec.run import Choice, RunSpec
from studio.i18n import QT_TRANSLATE_NOOP, translate

RECIPE = "recipe"


@dataclass(frozen=True, kw_only=True)
class RacerRow:
    """A line of the list: which optimizer, and its learning rate."""

    key: str
    rate: float


@dataclass(frozen=True, kw_only=True)
class RaceSetup:
    """Who races, for how many steps."""

    rows: tuple[RacerRow, ...]
    steps: int


@dataclass(frozen=True, kw_only=True)
class _Preset:
    """An optimizer with the rate that it begins with on a model and on a function."""

    type: str
    title: str
    rate: float
    function_rate: float
    params: tuple[tuple[str, Value], ...] = ()


_PRESETS: dict[str, _Preset] = {
    "sgd": _Preset(type="SGD", title="SGD", rate=0.1, function_rate=0.001),
    "momentum": _Preset(
        type="SGD",
        title=QT_TRANSLATE_NOOP("Race", "SGD, momentum 0.9"),
        rate=0.05,
        function_rate=0.0005,
        params=(("momentum", 0.9),),
    ),
    "nesterov": _Preset(
        type="SGD",
        title=QT_TRANSLATE_NOOP("Race", "SGD, Nesterov 0.9"),
        rate=0.05,
        function_rate=0.0005,
        params=(("momentum", 0.9), ("nesterov", True)),
    ),
    "adam": _Preset(type="Adam", title="Adam", rate=0.003, function_rate=0.05),
    "adamw": _Preset(type="AdamW", title="AdamW", rate=0.003, function_rate=0.05),
    "nadam": _Preset(type="NAdam", title="NAdam", rate=0.003, function_rate=0.05),
    "rmsprop": _Preset(type="RMSprop", title="RMSprop", rate=0.001, function_rate=0.02),
    "adagrad": _Preset(type="Adagrad", title="Adagrad", rate=0.02, function_rate=0.3),
    "rprop": _Preset(type="Rprop", title="Rprop", rate=0.001, function_rate=0.01),
    "lbfgs": _Preset(type="LBFGS", title="L-BFGS", rate=0.1, function_rate=0.5),
}
_MODEL_STEPS, _FUNCTION_STEPS = 200, 1000
_FIRST_OF_MODEL = (RECIPE, "sgd", "momentum", "adam")
_FIRST_OF_FUNCTION = ("sgd", "momentum", "rmsprop", "adam")


def racer_choices(*, of_model: bool) -> tuple[tuple[str, str], ...]:
    """Return key and title of each optimizer that can take part."""
    recipe = ((RECIPE, translate("Landscape", "From the recipe")),) if of_model else ()
    presets = ((key, translate("Race", preset.title)) for key, preset in _PRESETS.items())
    return (*recipe, *presets)


def first_setup(spec: RunSpec, function: FunctionName | None) -> RaceSetup:
    """Return what a race begins with."""
    keys = _FIRST_OF_MODEL if function is None else _FIRST_OF_FUNCTION
    rows = tuple(RacerRow(key=key, rate=usual_rate(key, spec, function)) for key in keys)
    return RaceSetup(rows=rows, steps=_MODEL_STEPS if function is None else _FUNCTION_STEPS)


def usual_rate(key: str, spec: RunSpec, function: FunctionName | None) -> float:
    """Return the rate that an optimizer begins with; of the recipe, the one that it has."""
    if key == RECIPE:
        return recipe_rate(spec)
    preset = _PRESETS[key]
    return preset.rate if function is None else preset.function_rate


def recipe_rate(spec: RunSpec) -> float:
    """Return the learning rate of a recipe."""
    entry = catalog().entry(EntryGroup.OPTIMIZER, spec.optimizer.type)
    param = entry.param("lr") if entry else None
    value = spec.optimizer.params.get("lr", param.default if param else None)
    return float(value) if isinstance(value, int | float) else 0.0


def racer(row: RacerRow, spec: RunSpec) -> Racer:
    """Return what a line of the list asks for."""
    if row.key == RECIPE:
        return Racer(optimizer=spec.optimizer, is_recipe=True)
    return Racer(optimizer=optimizer(row))


def optimizer(row: RacerRow) -> Choice:
    """Return the optimizer of a line that is not the recipe's own."""
    preset = _PRESETS[row.key]
    return Choice(type=preset.type, params={"lr": row.rate, **dict(preset.params)})


def racer_title(row: RacerRow) -> str:
    """Return what a racer is called beside its way: the optimizer and its rate."""
    title = dict(racer_choices(of_model=True))[row.key]
    return f"{title} · {row.rate:g}"
