"""Field: one value of a run specification, with its description, getter and setter."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

import msgspec

from engine.catalog.spec import Entry, EntryGroup, ParamKind, ParamSpec, Value
from engine.catalog.validate import check_value
from engine.diagnostics import Diagnostic
from engine.graph.memory import Memory
from engine.spec.choice import (
    NO_CODE,
    Code,
    available_entries,
    chosen_entry,
    initial_choice,
    with_param,
)
from engine.spec.run import Choice, RunSpec

ReadChoice = Callable[[RunSpec], Choice | None]
WriteChoice = Callable[[RunSpec, Choice | None], RunSpec]
_Part = TypeVar("_Part", bound=msgspec.Struct)


@dataclass(frozen=True, kw_only=True)
class Field:
    """One value of a specification: how it is described, read and set."""

    name: str
    param: ParamSpec
    read: Callable[[RunSpec], Value]
    write: Callable[[RunSpec, Value], RunSpec]
    check: Callable[[Value], Diagnostic | None]


def replaced(part: _Part, path: tuple[str, ...], value: object) -> _Part:
    """Return a struct with another value at a path of attributes."""
    name, *rest = path
    if rest:
        value = replaced(getattr(part, name), tuple(rest), value)
    return msgspec.structs.replace(part, **{name: value})


def choice_fields(
    spec: RunSpec,
    name: str,
    group: EntryGroup,
    read: ReadChoice,
    write: WriteChoice,
    *,
    optional: bool,
    code: Code = NO_CODE,
    title: str = "",
) -> Iterator[Field]:
    """Yield the field of a choice's type, and those of the parameters that the choice has now;
    ``title`` is what messages call it, the last part of ``name`` where it is empty.
    """
    kind = ParamSpec(
        name=title or name.rpartition(".")[2],
        kind=ParamKind.CHOICE,
        choices=tuple(entry.key for entry in available_entries(group, code)),
        required=not optional,
        optional=optional,
    )

    def read_type(spec: RunSpec) -> Value:
        choice = read(spec)
        return None if choice is None else choice.type

    def write_type(spec: RunSpec, value: Value) -> RunSpec:
        chosen = None if value is None else initial_choice(group, str(value), read(spec), code)
        return write(spec, chosen)

    yield Field(
        name=name, param=kind, read=read_type, write=write_type, check=partial(check_value, kind)
    )
    entry = chosen_entry(group, read(spec), code)
    if entry is not None:
        for param in entry.params:
            yield _param_field(name, entry, param, read, write)


def _param_field(
    name: str,
    entry: Entry,
    param: ParamSpec,
    read: ReadChoice,
    write: WriteChoice,
) -> Field:
    def read_param(spec: RunSpec) -> Value:
        choice = read(spec)
        return None if choice is None else entry.value(choice.params, param.name)

    def write_param(spec: RunSpec, value: Value) -> RunSpec:
        choice = read(spec)
        return spec if choice is None else write(spec, with_param(entry, choice, param.name, value))

    return Field(
        name=f"{name}.{param.name}",
        param=param,
        read=read_param,
        write=write_param,
        check=partial(check_value, param),
    )


_sections = Memory[Mapping[str, Sequence[Field]]](32)


def _by_section(known: Iterable[Field]) -> dict[str, list[Field]]:
    """Return fields by the section that they are in: their name without its last word."""
    found: dict[str, list[Field]] = {}
    for field in known:
        found.setdefault(field.name.rpartition(".")[0], []).append(field)
    return found


def values_around(field: Field, known: Mapping[str, Field], spec: RunSpec) -> dict[str, Value]:
    """Return the values that decide whether a field has an effect, by the last word of their names:
    those beside it, and of the part that its own is in.
    """
    sections = _sections.recall((known,), lambda: _by_section(known.values()))
    section = field.name.rpartition(".")[0]
    return {
        other.param.name: other.read(spec)
        for part in (section.rpartition(".")[0], section)
        for other in sections.get(part, ())
    }
