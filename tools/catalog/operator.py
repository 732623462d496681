"""The operators: functions and methods that a forward calls, as a table."""

from collections.abc import Sequence
from typing import Any

import torch
from torch.nn import functional

from engine.catalog.spec import Entry, EntryGroup, ParamKind, ParamSpec, PortSpec
from tools.catalog.bound import BOUNDS
from tools.catalog.docstring import argument_help, markdown
from tools.catalog.operator_help import HELP

INFIX_DOCS = {
    "+": torch.add, "-": torch.sub, "*": torch.mul, "/": torch.div, "//": torch.floor_divide,
    "%": torch.remainder, "**": torch.pow, "@": torch.matmul, "==": torch.eq, "!=": torch.ne,
    "<": torch.lt, "<=": torch.le, ">": torch.gt, ">=": torch.ge,
}  # fmt: skip
OWN_DOCS = {"expand_batch": torch.Tensor.expand, "shuffle": torch.randperm,
            "slice": torch.Tensor.__getitem__}  # fmt: skip
NAMESPACES: dict[str, Any] = {"torch": torch, "F": functional}
Port = str | PortSpec


def param(name: str, kind: ParamKind, **fields: Any) -> ParamSpec:
    """Return a parameter with the limits that go by its name."""
    numeric = kind not in (ParamKind.BOOL, ParamKind.STR, ParamKind.CHOICE, ParamKind.DTYPE)
    bounds = BOUNDS.get(name, {}) if numeric else {}
    return ParamSpec(name=name, kind=kind, **(bounds | fields))


def operator(
    key: str,
    target: str,
    category: str,
    summary: str,
    *params: ParamSpec,
    inputs: Sequence[Port] = ("input",),
    outputs: Sequence[Port] = ("output",),
    positional: tuple[str, ...] | None = None,
    **fields: Any,
) -> Entry:
    """Return an operator; parameters without a default are written without their names."""
    source = documented(target)
    texts = argument_help(source.__doc__ or "")
    described = tuple(_with_help(each, key, texts) for each in params)
    text = markdown(source.__doc__ or "")
    required = tuple(each.name for each in described if each.required)
    return Entry(
        key=key,
        group=EntryGroup.OPERATOR,
        category=category,
        label=key,
        target=target,
        summary=summary,
        doc=text if len(text) > 60 else f"{summary}\n",
        params=described,
        inputs=tuple(_port(each) for each in inputs),
        outputs=tuple(_port(each) for each in outputs),
        positional=required if positional is None else positional,
        **fields,
    )


def documented(target: str) -> Any:
    """Return the object of torch whose documentation stands for a target."""
    kind, _, name = target.partition(":")
    if kind == "infix":
        return INFIX_DOCS[name]
    if kind == "own":
        return OWN_DOCS[name]
    if kind == "method":
        own = getattr(torch.Tensor, name)
        shared = getattr(torch, name, own)
        return own if "See :func:" not in (own.__doc__ or "See :func:") else shared
    space, _, path = target.partition(".")
    found = NAMESPACES[space]
    for part in path.split("."):
        found = getattr(found, part)
    return found


def _port(port: Port) -> PortSpec:
    return PortSpec(name=port) if isinstance(port, str) else port


def _with_help(each: ParamSpec, key: str, texts: dict[str, str]) -> ParamSpec:
    text = each.help or HELP.get(f"{key}.{each.name}") or HELP.get(each.name)
    fields = {field: getattr(each, field) for field in each.__struct_fields__}
    return ParamSpec(**(fields | {"help": text or texts.get(each.name, "")}))


def operator_entries() -> list[Entry]:
    """Return the operators in the order of the palette."""
    from tools.catalog.operator_table import arithmetic, reduction, shaping, structure

    return [*arithmetic(), *structure(), *shaping(), *reduction()]
