"""Parameter groups with settings of their own: their fields, and which parameters are in them."""

from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from functools import partial

import msgspec

from engine.catalog.registry import catalog
from engine.catalog.spec import AUTO, EntryGroup, ParamKind, ParamSpec, Value
from engine.catalog.validate import check_value
from engine.diagnostics import printable
from engine.spec.choice import chosen_entry
from engine.spec.field import Field
from engine.spec.run import ParameterGroup, RunSpec
from engine.spec.trained_group import TrainedGroup, rate_groups

_NUMBERS = (ParamKind.FLOAT, ParamKind.FLOATS, ParamKind.INT, ParamKind.BOOL)
_ALWAYS = ("lr", "weight_decay")
_RATE = "lr"
_SHOWN_LETTERS = 40


def patterns(match: str) -> tuple[str, ...]:
    """Return the single patterns of a group."""
    parts = match.replace("，", ",").replace("、", ",").split(",")
    return tuple(part.strip() for part in parts if part.strip())


def fits(pattern: str, name: str) -> bool:
    """Return whether a pattern names a parameter: ``fc`` names ``fc.weight``, not ``fc2.bias``."""
    if "*" in pattern or "?" in pattern:
        return fnmatchcase(name, pattern)
    return name == pattern or name.startswith(f"{pattern.rstrip('.')}.")


def group_of(groups: tuple[ParameterGroup, ...], name: str) -> int:
    """Return the number of the group that a parameter is in, from 1; 0 for the rest."""
    for index, group in enumerate(groups, 1):
        if any(fits(pattern, name) for pattern in patterns(group.match)):
            return index
    return 0


def shown_match(group: ParameterGroup) -> str:
    """Return what a group names, in one short line."""
    return printable(" ".join(group.match.split()), _SHOWN_LETTERS)


def rate_series(count: int) -> tuple[str, ...]:
    """Return the names of the curves of the learning rate with that many groups, the rest first."""
    return (_RATE,) if count == 1 else tuple(f"{_RATE}.{index}" for index in range(count))


def is_rate(series: str) -> bool:
    """Return whether a curve is that of a learning rate."""
    return series.partition(".")[0] == _RATE


def is_divided(spec: RunSpec) -> bool:
    """Return whether the optimizer of a recipe has several groups."""
    has_names = bool(spec.groups or spec.phases or spec.phase.match)
    return has_names or spec.no_decay.biases_and_norms or spec.layer_rates.is_on


def rate_names(
    groups: Sequence[ParameterGroup],
    trained: Sequence[TrainedGroup] = (),
    phases: Sequence[str] = (),
) -> dict[str, str]:
    """Return what the curves of several learning rates are called outside of the window, by series;
    nothing where there is one rate. ``trained`` are the groups as a run had them; ``phases``
    are the names of its phases, where it has several.
    """
    rates = rate_groups(trained) or [TrainedGroup(number=n) for n in range(len(groups) + 1)]
    if len(rates) == 1:
        return {}
    names: list[str] = []
    for group in rates:
        own = () if group.phase else groups
        is_alone = sum(other.phase == group.phase for other in rates) == 1
        name = _rate_name(own, group)
        if group.phase < len(phases):
            name = phases[group.phase] if is_alone else f"{phases[group.phase]}, {name}"
        names.append(name)
    return dict(zip(rate_series(len(names)), names, strict=True))


def _rate_name(groups: Sequence[ParameterGroup], group: TrainedGroup) -> str:
    own = shown_match(groups[group.number - 1]) if group.number else ""
    name = f"group {group.number} ({own})" if own else "other parameters"
    return f"{name}, layers {shown_parts(group)}" if group.depth else name


def shown_parts(group: TrainedGroup) -> str:
    """Return the layers that a group has weights of, in one short line."""
    return printable(", ".join(group.parts), _SHOWN_LETTERS)


def group_params(spec: RunSpec) -> tuple[ParamSpec, ...]:
    """Return the settings of the chosen optimizer that a group can have of its own; on "auto" it
    has that of the optimizer.
    """
    entry = chosen_entry(EntryGroup.OPTIMIZER, spec.optimizer)
    return tuple(
        msgspec.structs.replace(
            param,
            auto=True,
            default=AUTO,
            required=False,
            advanced=param.name not in _ALWAYS,
        )
        for param in (() if entry is None else entry.params)
        if param.kind in _NUMBERS and not param.optional
    )


def group_fields(spec: RunSpec) -> Iterator[Field]:
    """Yield the fields of all groups, and the one that adds a group."""
    settings = catalog().entry(EntryGroup.SETTING, "group")
    match = None if settings is None else settings.param("match")
    assert match is not None, "the catalogue describes the match of a group"
    for index in range(len(spec.groups) + 1):
        yield Field(
            name=f"groups.{index}.match",
            param=match,
            read=partial(_read_match, index),
            write=partial(_write_match, index),
            check=partial(check_value, match),
        )
        for param in group_params(spec) if index < len(spec.groups) else ():
            yield Field(
                name=f"groups.{index}.{param.name}",
                param=param,
                read=partial(_read_param, index, param.name),
                write=partial(_write_param, index, param),
                check=partial(check_value, param),
            )


def with_valid_params(spec: RunSpec) -> RunSpec:
    """Return a specification whose groups have only settings that the optimizer has."""
    known = {param.name for param in group_params(spec)}
    groups = tuple(
        msgspec.structs.replace(
            group, params={name: value for name, value in group.params.items() if name in known}
        )
        for group in spec.groups
    )
    return spec if groups == spec.groups else msgspec.structs.replace(spec, groups=groups)


def _read_match(index: int, spec: RunSpec) -> Value:
    return spec.groups[index].match if index < len(spec.groups) else ""


def _write_match(index: int, spec: RunSpec, value: Value) -> RunSpec:
    groups = list(spec.groups)
    text = ", ".join(patterns(str(value)))
    if not text:
        del groups[index : index + 1]
    elif index < len(groups):
        groups[index] = msgspec.structs.replace(groups[index], match=text)
    else:
        groups.append(ParameterGroup(match=text))
    return msgspec.structs.replace(spec, groups=tuple(groups))


def _read_param(index: int, name: str, spec: RunSpec) -> Value:
    return spec.groups[index].params.get(name, AUTO)


def _write_param(index: int, param: ParamSpec, spec: RunSpec, value: Value) -> RunSpec:
    groups = list(spec.groups)
    params = {n: v for n, v in groups[index].params.items() if n != param.name}
    if value != AUTO:
        is_float = param.kind is ParamKind.FLOAT
        params[param.name] = float(value) if is_float and isinstance(value, int) else value
    groups[index] = msgspec.structs.replace(groups[index], params=params)
    return msgspec.structs.replace(spec, groups=tuple(groups))
