"""Learning rate schedule of a run as text of the exported training class."""

from collections.abc import Sequence
from string import Template
from typing import NamedTuple

from engine.catalog.registry import catalog
from engine.catalog.spec import AUTO, EntryGroup, ParamKind
from engine.export.python_file import SourceParts
from engine.spec.run import Choice, RunSpec
from engine.spec.technique import AveragingSpec
from engine.syntax.format import INDENT, Expression, call, keyword, list_of, statement
from engine.syntax.literal import literal
from engine.train.schedule import scheduler_settings

_EPOCHS, _STEPS = "epochs", "epochs * steps_per_epoch"  # the length of a run
_METHOD = Template('''
    def make_scheduler(self, $parameters):
        """Return a learning rate scheduler that starts from the initial learning rates."""
        for group in self.optimizer.param_groups:
            group["lr"] = group.get("initial_lr", group["lr"])
$creation
''')
_PLATEAU = "ReduceLROnPlateau"


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
    text = _chosen(spec, ratios, key)
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


def _chosen(spec: RunSpec, ratios: Sequence[float], key: str) -> ScheduleText:
    choice = spec.scheduler
    if choice is None:
        return ScheduleText()
    is_plateau = follows_results(spec)
    by_step = spec.scheduler_interval == "step" and not is_plateau
    created = call(_target(choice), _settings(choice, ratios, _STEPS if by_step else _EPOCHS))
    arguments = f"epochs, {_steps(spec)}" if by_step else "epochs"
    text = ScheduleText(
        method=_METHOD.substitute(
            parameters="epochs, steps_per_epoch" if by_step else "epochs",
            creation="\n".join(statement("return ", created, depth=2)),
        ),
        creation=f"{INDENT * 2}scheduler = self.make_scheduler({arguments})\n",
    )
    if by_step:
        return text._replace(after_step=f"\n{INDENT * 4}scheduler.step()")
    step = f'step(monitored["{key}"])' if is_plateau else "step()"
    return text._replace(after_epoch=f"\n{INDENT * 3}scheduler.{step}")


def follows_results(spec: RunSpec) -> bool:
    """Return whether the schedule of a run goes by what its epochs result in."""
    return spec.scheduler is not None and spec.scheduler.type == _PLATEAU


def _steps(spec: RunSpec) -> str:
    """Return how many steps an epoch has."""
    count = spec.accumulation.batches
    return "len(batches)" if count == 1 else f"-(-len(batches) // {count})"


def _target(choice: Choice) -> str:
    entry = catalog().entry(EntryGroup.SCHEDULER, choice.type)
    assert entry is not None  # a run was made with it
    return entry.target


def _settings(choice: Choice, ratios: Sequence[float], length: str) -> list[Expression]:
    entry = catalog().entry(EntryGroup.SCHEDULER, choice.type)
    assert entry is not None  # a run was made with it
    found: list[Expression] = ["self.optimizer"]
    for name, value in scheduler_settings(choice, AUTO, ratios).items():
        spec = entry.param(name)
        if spec is not None and value == spec.default and value != AUTO:
            continue
        kind = ParamKind.FLOAT if spec is None else spec.kind
        if value == AUTO:
            written: Expression = length
        elif isinstance(value, list):
            written = list_of([literal(each, kind) for each in value])
        else:
            written = literal(value, kind)
        found.append(keyword(name, written))
    return found
