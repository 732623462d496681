"""Call of a node: one plan, written as source by ``codegen`` and carried out by ``execute``.

A plan names what goes where: wires, lists and tuples of wires, and parameter values that differ
from the default.
"""

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from engine.catalog.spec import AUTO, Entry, EntryGroup, ParamSpec, PartSpec, PortSpec, Value
from engine.graph.query import variadic_index


class Wire(msgspec.Struct, frozen=True):
    """What arrives at the input port of that name."""

    port: str


class Wires(msgspec.Struct, frozen=True):
    """Several wires as one argument: a list (variadic ports) or a tuple (ports with one index)."""

    ports: tuple[str, ...]
    is_list: bool


class Constant(msgspec.Struct, frozen=True):
    """A parameter value."""

    value: Value
    spec: ParamSpec


class SlotName(str):
    """In the place of a size: the name of the argument of the class that holds it."""

    __slots__ = ()


class Built(msgspec.Struct, frozen=True):
    """What a call makes for the place where it stands: a module for the constructor of another
    (the layer of a ``TransformerEncoder``), the tensor of a parameter.

    ``method:view`` is called on the first argument.
    """

    target: str
    arguments: "Arguments"


class Listed(msgspec.Struct, frozen=True):
    """Numbers as a list, not as a tuple."""

    numbers: tuple[bool | int | float, ...]


Argument = Wire | Wires | Constant | Built | Listed


class Arguments(msgspec.Struct, frozen=True):
    """Positional arguments and keyword arguments, in the order of writing."""

    positional: tuple[Argument, ...] = ()
    keywords: tuple[tuple[str, Argument], ...] = ()


def complete_params(
    entry: Entry, params: Mapping[str, Value], resolved: Mapping[str, Value]
) -> dict[str, Value]:
    """Return the values of all parameters: given, inferred for "auto", or the defaults."""
    values: dict[str, Value] = {}
    for spec in entry.params:
        value = params.get(spec.name, AUTO if spec.required and spec.auto else spec.default)
        if spec.auto and value == AUTO and spec.name in resolved:
            value = resolved[spec.name]
        values[spec.name] = value
    return values


def unresolved(entry: Entry, values: Mapping[str, Value]) -> tuple[ParamSpec, ...]:
    """Return the parameters that still stand on "auto"."""
    return tuple(spec for spec in entry.params if spec.auto and values.get(spec.name) == AUTO)


def constructor_arguments(entry: Entry, values: Mapping[str, Value]) -> Arguments:
    """Return what the constructor of a layer takes."""
    specs = [spec for spec in entry.params if not spec.call]
    parts: list[Argument] = []
    for part in entry.parts:
        parts.append(Built(part.target, _part_arguments(entry, part, values)))
        specs = [spec for spec in specs if spec.name not in part.params]
    slots = [(spec.name, _constant(spec, values)) for spec in _positional(entry, specs)]
    kept = _trimmed(slots)
    written = {name for name, _ in kept}
    return Arguments(
        positional=(*parts, *(constant for _, constant in kept)),
        keywords=_keywords([spec for spec in specs if spec.name not in written], values),
    )


def call_arguments(entry: Entry, values: Mapping[str, Value], wired: Iterable[str]) -> Arguments:
    """Return what the call in ``forward`` takes; ``wired`` are the ports where wires end."""
    ports = set(wired)
    is_layer = entry.group is EntryGroup.LAYER
    specs = [s for s in entry.params if (s.call or not is_layer) and not s.is_drawn]
    slots = _port_slots(entry, values, ports)
    named = dict(_positional_slots(entry, specs, values))
    if any(name in entry.positional for name in slots):
        merged = {**slots, **named}
        ordered = {name: merged[name] for name in entry.positional if name in merged}
        slots = {**ordered, **{n: a for n, a in merged.items() if n not in ordered}}
    else:
        slots = {**slots, **{name: slot for name, slot in named.items() if name not in slots}}
    positional, late = _until_gap(list(slots.items()))
    taken = {name for name, slot in slots.items() if slot is not None} | {
        port.name for port in entry.inputs
    }
    keywords = [*late, *_keyword_ports(entry, values, ports)]
    keywords += _keywords([spec for spec in specs if spec.name not in taken], values)
    return Arguments(positional=positional, keywords=tuple(keywords))


def _part_arguments(entry: Entry, part: PartSpec, values: Mapping[str, Value]) -> Arguments:
    specs = [spec for spec in entry.params if spec.name in part.params]
    slots = [(spec.name, _constant(spec, values)) for spec in _positional(entry, specs)]
    kept = _trimmed(slots)
    written = {name for name, _ in kept}
    return Arguments(
        positional=tuple(constant for _, constant in kept),
        keywords=_keywords([spec for spec in specs if spec.name not in written], values),
    )


def _positional(entry: Entry, specs: Sequence[ParamSpec]) -> list[ParamSpec]:
    by_name = {spec.name: spec for spec in specs}
    return [by_name[name] for name in entry.positional if name in by_name]


def _constant(spec: ParamSpec, values: Mapping[str, Value]) -> Constant:
    return Constant(values.get(spec.name, spec.default), spec)


def is_needed(constant: Constant) -> bool:
    """Return whether a value must be written because the default does not say it."""
    value, default = constant.value, constant.spec.default
    return constant.spec.required or type(value) is not type(default) or value != default


def _trimmed(slots: list[tuple[str, Constant]]) -> list[tuple[str, Constant]]:
    last = max((i for i, (_, constant) in enumerate(slots) if is_needed(constant)), default=-1)
    return slots[: last + 1]


def _keywords(
    specs: Iterable[ParamSpec], values: Mapping[str, Value]
) -> tuple[tuple[str, Argument], ...]:
    constants = [_constant(spec, values) for spec in specs]
    return tuple((c.spec.name, c) for c in constants if is_needed(c))


def _port_slots(
    entry: Entry, values: Mapping[str, Value], wired: set[str]
) -> dict[str, Argument | None]:
    """Return the positional ports in order; ``None`` marks one that is left open."""
    slots: dict[str, Argument | None] = {}
    groups: dict[int, list[PortSpec]] = {}
    for port in entry.inputs:
        if len(port.path) > 1:
            groups.setdefault(port.path[0], []).append(port)
    for port in entry.inputs:
        if port.keyword:
            continue
        group = groups.get(port.path[0]) if len(port.path) > 1 else None
        if group is not None:
            names = tuple(member.name for member in group)
            slots[names[0]] = Wires(names, is_list=False) if wired.issuperset(names) else None
            if port.name != names[0]:
                slots.pop(port.name, None)
        else:
            slots[port.name] = _port_argument(entry, port, values, wired)
    return slots


def _port_argument(
    entry: Entry, port: PortSpec, values: Mapping[str, Value], wired: set[str]
) -> Argument | None:
    if port.variadic:
        places = {name: variadic_index(name, port.name) for name in wired}
        found = {name: place for name, place in places.items() if place is not None}
        return Wires(tuple(sorted(found, key=found.__getitem__)), is_list=True) if found else None
    if port.name in wired:
        return Wire(port.name)
    spec = entry.param(port.name)
    return None if spec is None else _constant(spec, values)


def _positional_slots(
    entry: Entry, specs: Sequence[ParamSpec], values: Mapping[str, Value]
) -> list[tuple[str, Constant]]:
    ports = {port.name for port in entry.inputs}
    own = [spec for spec in _positional(entry, specs) if spec.name not in ports]
    return _trimmed([(spec.name, _constant(spec, values)) for spec in own])


def _until_gap(
    slots: list[tuple[str, Argument | None]],
) -> tuple[tuple[Argument, ...], list[tuple[str, Argument]]]:
    """Return what can be given by place, and what comes after a gap, by name."""
    positional: list[Argument] = []
    late: list[tuple[str, Argument]] = []
    is_open = False
    for name, slot in slots:
        if slot is None:
            is_open = True
        elif is_open:
            late.append((name, slot))
        else:
            positional.append(slot)
    return tuple(positional), late


def _keyword_ports(
    entry: Entry, values: Mapping[str, Value], wired: set[str]
) -> list[tuple[str, Argument]]:
    found: list[tuple[str, Argument]] = []
    for port in entry.inputs:
        if not port.keyword:
            continue
        argument = _port_argument(entry, port, values, wired)
        if argument is None or (isinstance(argument, Constant) and not is_needed(argument)):
            continue
        found.append((port.name, argument))
    return found
