"""Learning rates of a run by parameter group: their names, and what the field of one says."""

from collections.abc import Sequence
from dataclasses import dataclass

from engine.runs.record.store import Points, Steps
from engine.spec.fields import field_names
from engine.spec.group import rate_series, shown_match, shown_parts
from engine.spec.painting import rate_of
from engine.spec.phase import phase_field, phase_list, recipe_of
from engine.spec.run import ParameterGroup, RunSpec
from engine.spec.trained_group import TrainedGroup, of_phase, rate_groups
from studio.i18n import translate
from studio.session.run_follower import RunUpdate
from studio.view.phase import phase_title


def group_label(groups: Sequence[ParameterGroup], number: int) -> str:
    """Return what a group is called beside others, 0 being all parameters that are in none."""
    if not number:
        return translate("Run", "Other parameters")
    text = translate("Run", "Group {number} ({names})")
    return text.format(number=number, names=shown_match(groups[number - 1]))


def rate_labels(spec: RunSpec, trained: Sequence[TrainedGroup]) -> tuple[str, ...]:
    """Return what the learning rates are called beside each other: by phase, by group, and by layer
    where layers have rates of their own (``trained``).
    """
    if not spec.phases:
        return _group_labels(spec.groups, trained)
    found: list[str] = []
    for index in range(1 + len(spec.phases)):
        title = phase_title(phase_list(spec), index)
        groups = () if index else spec.groups
        own = _group_labels(groups, of_phase(trained, index))
        whole = translate("Run", "{group}: {layers}")
        many = len(own) > 1
        found += [whole.format(group=title, layers=one) if many else title for one in own]
    return tuple(found)


def _group_labels(
    groups: Sequence[ParameterGroup], trained: Sequence[TrainedGroup]
) -> tuple[str, ...]:
    rates = rate_groups(trained)
    if len(rates) <= 1 + len(groups):
        return tuple(group_label(groups, number) for number in range(1 + len(groups)))
    return tuple(_layer_label(groups, group) for group in rates)


def _layer_label(groups: Sequence[ParameterGroup], group: TrainedGroup) -> str:
    layers = shown_parts(group) or translate("Run", "Last layer")
    if not groups:
        return layers
    whole = translate("Run", "{group}: {layers}")
    return whole.format(group=group_label(groups, group.number), layers=layers)


def in_group(groups: Sequence[ParameterGroup], name: str, title: str) -> str:
    """Return the title of a setting, by its dotted name, with the group that it is of, if any."""
    part, _, rest = name.partition(".")
    number, _, setting = rest.partition(".")
    if part != "groups" or not number.isdecimal():
        return title
    index = int(number)
    match = shown_match(groups[index]) if index < len(groups) and setting != "match" else ""
    text = translate("Train", "Parameter group {number} · {setting}")
    if match:
        text = translate("Train", "Parameter group {number} ({names}) · {setting}")
    return text.format(number=index + 1, names=match, setting=title)


def rate_curves(update: RunUpdate) -> dict[int, tuple[Steps, Points]]:
    """Return the rates of a run by the number of their group, as far as there are points."""
    spec = update.folder.document.spec
    own = 1 + len(spec.groups) + len(spec.phases)
    names = rate_series(max(own, len(rate_groups(update.state.groups))))
    return {
        number: update.curves[name]
        for number, name in enumerate(names)
        if name in update.curves and len(update.curves[name][0])
    }


def rate_number(update: RunUpdate, phase: int) -> int:
    """Return the number of the curve of the learning rate that the others of a phase follow."""
    groups = update.state.groups
    spec = update.folder.document.spec
    before = [
        len(rate_groups(of_phase(groups, index))) or (1 if index else 1 + len(spec.groups))
        for index in range(phase)
    ]
    return sum(before)


@dataclass(frozen=True, kw_only=True)
class LiveRate:
    """What the field is called that sets a learning rate of a run, in ``short`` beside others, and
    what it does.
    """

    title: str
    short: str
    help: str


def live_rates(spec: RunSpec) -> dict[str, LiveRate]:
    """Return the learning rates of a run that can be set, one for each phase, by their settings."""
    found: dict[str, LiveRate] = {}
    text = translate("Train", "Learning rate ({phase})")
    for index in range(1 + len(spec.phases)):
        name = f"{phase_field(index)}.optimizer.lr" if index else "optimizer.lr"
        if index and name not in field_names(spec):
            continue  # an optimizer without one
        phase = phase_title(phase_list(spec), index)
        title = text.format(phase=phase) if spec.phases else _rate_title(spec)
        short = phase if index else title
        found[name] = LiveRate(title=title, short=short, help=_rate_help(recipe_of(spec, index)))
    return found


def _rate_title(spec: RunSpec) -> str:
    if spec.groups:
        return translate("Train", "Learning rate (all groups)")
    return translate("Train", "Learning rate")


def _rate_help(spec: RunSpec) -> str:
    """Return what the field changes: with groups all of them."""
    if not spec.groups:
        return translate(
            "Train", "Press Enter to set the learning rate of the run from its next step"
        )
    text = translate(
        "Train",
        "Press Enter to set the learning rate of parameters without a group from the next "
        "step. Groups keep their ratio to it:",
    )
    return "\n".join([text, *_ratios(spec)])


def _ratios(spec: RunSpec) -> list[str]:
    rest = rate_of(spec, 0)
    lines: list[str] = []
    for number in range(1, 1 + len(spec.groups)):
        rate, name = rate_of(spec, number), group_label(spec.groups, number)
        lines.append(f"{name} × {rate / rest:.4g}" if rate is not None and rest else name)
    return lines
