"""The learning-rate schedule of a run, as the class that trains itself follows it."""

from collections.abc import Sequence
from typing import NamedTuple

from engine.catalog.registry import catalog
from engine.catalog.spec import AUTO, EntryGroup, ParamKind
from engine.spec.run import Choice, RunSpec
from engine.syntax.format import INDENT, Expression, call, keyword, list_of, statement
from engine.syntax.literal import literal
from engine.train.schedule import scheduler_settings

_EPOCHS, _STEPS = "epochs", "epochs * steps"  # what stands for the length of a run
_METHOD = '''
    def schedule(self, {arguments}):
        """Return the schedule of the learning rate {length}."""
        for group in self.optimizer.param_groups:
            group["lr"] = group.get("initial_lr", group["lr"])
{making}
'''
_PLATEAU = "ReduceLROnPlateau"


class ScheduleText(NamedTuple):
    """The pieces of the class that are about the schedule; all empty without one.

    ``method`` makes it, ``begin`` calls that in ``fit``, ``validation`` is a parameter of ``fit``,
    ``after_step`` and ``after_epoch`` are lines behind a step and an epoch.
    """

    method: str = ""
    begin: str = ""
    validation: str = ""
    after_step: str = ""
    after_epoch: str = ""


def schedule_text(spec: RunSpec, ratios: Sequence[float], told: str) -> ScheduleText:
    """Return the pieces for a run. ``ratios`` is how the learning rates of the groups stand to that
    of the first; ``told`` is what a plateau schedule goes by, ``loss`` or ``metric``.
    """
    choice = spec.scheduler
    if choice is None:
        return ScheduleText()
    is_plateau = choice.type == _PLATEAU
    by_step = spec.scheduler_interval == "step" and not is_plateau
    arguments = ["epochs", "steps"] if by_step else ["epochs"]
    length = "for so many epochs of so many steps" if by_step else "for so many epochs"
    made = call(_target(choice), _settings(choice, ratios, _STEPS if by_step else _EPOCHS))
    making = "\n".join(statement("return ", made, depth=2))
    given = "epochs, len(batches)" if by_step else "epochs"
    text = ScheduleText(
        method=_METHOD.format(arguments=", ".join(arguments), length=length, making=making),
        begin=f"{INDENT * 2}scheduler = self.schedule({given})\n",
    )
    if by_step:
        return text._replace(after_step=f"\n{INDENT * 4}scheduler.step()")
    if not is_plateau:
        return text._replace(after_epoch=f"\n{INDENT * 3}scheduler.step()")
    if spec.checkpoint.monitor.startswith("train."):
        return text._replace(after_epoch=f'\n{INDENT * 3}scheduler.step(history[-1]["{told}"])')
    lines = (
        "\n{0}seen = history[-1] if validation is None else self.evaluate(validation)"
        '\n{0}scheduler.step(seen["{1}"])'
    )
    return text._replace(validation=", validation=None", after_epoch=lines.format(INDENT * 3, told))


def goes_by(spec: RunSpec) -> str:
    """Return the measure that the schedule of a run goes by; empty where it goes by none."""
    is_plateau = spec.scheduler is not None and spec.scheduler.type == _PLATEAU
    return spec.checkpoint.monitor.partition(".")[2] if is_plateau else ""


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
