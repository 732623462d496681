"""Learning rate schedule of a run as text of the exported training class."""

from collections.abc import Sequence
from string import Template
from typing import NamedTuple

from engine.catalog.registry import catalog
from engine.catalog.spec import AUTO, EntryGroup, ParamKind
from engine.export.python_file import SourceParts
from engine.spec import expression
from engine.spec.drawn_curve import drawn_factor
from engine.spec.run import Choice, RunSpec
from engine.spec.schedule import (
    COMPOSED,
    DRAWN,
    EXPRESSION,
    PLATEAU,
    WARMUP_COSINE,
    SchedulePlan,
    schedule_plan,
)
from engine.spec.technique import AveragingSpec
from engine.syntax.format import INDENT, Expression, call, keyword, list_of, statement
from engine.syntax.literal import literal
from engine.train.schedule import scheduler_settings

_EPOCHS, _STEPS = "epochs", "epochs * steps_per_epoch"  # the length of a run
_OF_STEPS = "steps"
_METHOD = Template('''
    def make_scheduler(self, $parameters):
        """Return a learning rate scheduler that starts from the initial learning rates."""
        for group in self.optimizer.param_groups:
            group["lr"] = group.get("initial_lr", group["lr"])
$creation
''')
_MODULE = "torch.optim.lr_scheduler"


class ScheduleText(NamedTuple):
    """Parts of the class that deal with the schedule; all empty without one.

    ``method`` creates the scheduler and ``creation`` calls it in ``fit``; ``after_step`` and
    ``after_epoch`` follow a step and an epoch, whose results are in ``monitored`` for a schedule
    that :func:`follows_results`.
    """

    method: str = ""
    creation: str = ""
    after_step: str = ""
    after_epoch: str = ""


def schedule_text(
    spec: RunSpec, ratios: Sequence[float], key: str, source: SourceParts
) -> ScheduleText:
    """Return the parts for a run. ``ratios`` are the learning rates of the groups relative to that
    of the first; ``key`` is the result that a plateau schedule follows, ``loss`` or ``metric``.
    """
    text = _chosen(spec, ratios, key, source)
    return _annealed(text, spec.averaging, ratios, source) if spec.averaging.anneals else text


def _annealed(
    text: ScheduleText, spec: AveragingSpec, ratios: Sequence[float], source: SourceParts
) -> ScheduleText:
    """Return the parts of a schedule with that of averaged weights, which takes its place."""
    rates: Expression = f"{spec.swa_lr}"
    if len(ratios) > 1:
        rates = list_of([f"{spec.swa_lr * ratio}" for ratio in ratios])
    settings: list[Expression] = ["self.optimizer", rates, f"{spec.anneal_epochs}"]
    created = call(source.imported("torch.optim.swa_utils", "SWALR"), settings)
    creation = "\n".join(statement("annealing = ", created, depth=2)) + "\n"
    after_epoch = f"\n{INDENT * 3}if epoch >= {spec.start}:\n{INDENT * 4}annealing.step()"
    if text.after_epoch:
        after_epoch += f"\n{INDENT * 3}else:{text.after_epoch.replace(INDENT * 3, INDENT * 4)}"
    after_step = text.after_step
    if after_step:
        step = after_step.replace(INDENT * 4, INDENT * 5)
        after_step = f"\n{INDENT * 4}if epoch < {spec.start}:{step}"
    return text._replace(
        creation=text.creation + creation, after_step=after_step, after_epoch=after_epoch
    )


def _chosen(spec: RunSpec, ratios: Sequence[float], key: str, source: SourceParts) -> ScheduleText:
    if spec.scheduler is None:
        return ScheduleText()
    is_plateau = follows_results(spec)
    by_step = spec.scheduler_interval == "step" and not is_plateau
    length = _STEPS if by_step else _EPOCHS
    parameters, arguments = _EPOCHS, _EPOCHS
    if by_step and spec.length == "steps":
        length = parameters = arguments = _OF_STEPS
    elif by_step:
        parameters = "epochs, steps_per_epoch"
        arguments = f"epochs, {steps_of_epoch(spec)}"
    text = ScheduleText(
        method=_METHOD.substitute(
            parameters=parameters,
            creation="\n".join(_creation(spec, spec.scheduler, ratios, length, source)),
        ),
        creation=f"{INDENT * 2}scheduler = self.make_scheduler({arguments})\n",
    )
    if by_step:
        return text._replace(after_step=f"\n{INDENT * 4}scheduler.step()")
    step = f'step(monitored["{key}"])' if is_plateau else "step()"
    return text._replace(after_epoch=f"\n{INDENT * 3}scheduler.{step}")


def _creation(
    spec: RunSpec, first: Choice, ratios: Sequence[float], length: str, source: SourceParts
) -> list[str]:
    """Return the lines that make the schedulers and return what steps them."""
    if first.type in COMPOSED and not spec.schedules:
        return _composed(first, length)
    if first.type == DRAWN:
        return _drawn(first, length, source)
    plan = schedule_plan(spec, 1)
    assert plan is not None  # there is a first one
    lengths = _lengths(plan, length)
    made = [
        call(_target(piece.choice), _settings(piece.choice, ratios, own, length, source))
        for piece, own in zip(plan.pieces, lengths, strict=True)
    ]
    if len(made) == 1:
        return statement("return ", made[0], depth=2)
    lines = statement("schedulers = ", list_of([*made]), depth=2)
    if plan.is_chained:
        whole = call(f"{_MODULE}.ChainedScheduler", ["schedulers", "self.optimizer"])
    else:
        milestones = list_of([str(step) for step in plan.milestones])
        arguments: list[Expression] = ["self.optimizer", "schedulers", milestones]
        whole = call(f"{_MODULE}.SequentialLR", arguments)
    return [*lines, *statement("return ", whole, depth=2)]


def _drawn(choice: Choice, length: str, source: SourceParts) -> list[str]:
    """Return the lines of a curve through points."""
    factor = drawn_factor(choice).source("total")
    if "math." in factor:
        source.imported("math", "")
    function: Expression = f"lambda step: {factor}"
    created = call(f"{_MODULE}.LambdaLR", ["self.optimizer", function])
    return [f"{INDENT * 2}total = {length}", *statement("return ", created, depth=2)]


def _lengths(plan: SchedulePlan, length: str) -> list[str]:
    """Return how often each scheduler is stepped, as text."""
    if plan.is_chained or len(plan.pieces) == 1:
        return [length] * len(plan.pieces)
    *others, last = plan.pieces
    return [*(str(piece.length) for piece in others), f"{length} - {last.start}"]


def _composed(choice: Choice, length: str) -> list[str]:
    """Return the lines of a schedule with a warm-up, of shares of the run."""
    entry = catalog().entry(EntryGroup.SCHEDULER, choice.type)
    assert entry is not None  # a run was made with it

    def share(name: str, most: str) -> str:
        value = entry.value(choice.params, name)
        return f"{INDENT * 2}{name} = min(max(1, round({value} * length)), {most})"

    values = {
        name: str(entry.value(choice.params, name)) for name in (p.name for p in entry.params)
    }
    has_warmup = values["warmup"] != "0.0"
    lines = [f"{INDENT * 2}length = {length}"]
    lines.append(share("warmup", "length - 1") if has_warmup else f"{INDENT * 2}warmup = 0")
    rise = _call("LinearLR", start_factor=values["start_factor"], total_iters="warmup")
    if choice.type == WARMUP_COSINE:
        fall = _call("CosineAnnealingLR", T_max="length - warmup", eta_min=values["eta_min"])
        made, milestones = [rise, fall], ["warmup"]
    else:
        lines.append(share("decay", "length - warmup"))
        end = values["end_factor"]
        fall = _call("LinearLR", start_factor="1.0", end_factor=end, total_iters="decay")
        made = [rise, _call("ConstantLR", factor="1.0"), fall]
        milestones = ["warmup", "length - decay"]
    arguments: list[Expression] = ["self.optimizer", "schedulers", list_of([*milestones])]
    return [
        *lines,
        *statement("schedulers = ", list_of(made), depth=2),
        *statement("return ", call(f"{_MODULE}.SequentialLR", arguments), depth=2),
    ]


def _call(name: str, **values: str) -> Expression:
    arguments = [keyword(key, value) for key, value in values.items()]
    return call(f"{_MODULE}.{name}", ["self.optimizer", *arguments])


def follows_results(spec: RunSpec) -> bool:
    """Return whether the schedule of a run goes by what its epochs result in."""
    return spec.scheduler is not None and spec.scheduler.type == PLATEAU


def steps_of_epoch(spec: RunSpec) -> str:
    """Return how many steps an epoch has."""
    count = spec.accumulation.batches
    return "len(batches)" if count == 1 else f"-(-len(batches) // {count})"


def _target(choice: Choice) -> str:
    entry = catalog().entry(EntryGroup.SCHEDULER, choice.type)
    assert entry is not None  # a run was made with it
    return entry.target


def _settings(
    choice: Choice, ratios: Sequence[float], length: str, total: str, source: SourceParts
) -> list[Expression]:
    """Return the arguments of a scheduler that is stepped ``length`` times, in a run of ``total``
    steps.
    """
    entry = catalog().entry(EntryGroup.SCHEDULER, choice.type)
    assert entry is not None  # a run was made with it
    found: list[Expression] = ["self.optimizer"]
    for name, value in scheduler_settings(choice, AUTO, ratios).items():
        spec = entry.param(name)
        if spec is not None and value == spec.default and value != AUTO:
            continue
        kind = ParamKind.FLOAT if spec is None else spec.kind
        if name == EXPRESSION:
            factor = expression.Expression.of(str(value)).source(f"({total})")
            if "math." in factor:
                source.imported("math", "")
            written: Expression = f"lambda step: {factor}"
        elif value == AUTO:
            written = length
        elif isinstance(value, list):
            written = list_of([literal(each, kind) for each in value])
        else:
            written = literal(value, kind)
        found.append(keyword(name, written))
    return found
