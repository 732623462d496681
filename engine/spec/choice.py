"""Choices of a specification: data source, optimizer, scheduler, and the loss of each term, each an
entry of the catalogue.
"""

from collections.abc import Mapping
from types import MappingProxyType

from engine.catalog.registry import catalog
from engine.catalog.spec import Entry, EntryGroup, Need, Value
from engine.catalog.validate import check_value
from engine.graph.code import (
    code_data,
    code_dataset,
    code_loss,
    code_losses,
    code_transform,
    code_transforms,
)
from engine.spec.run import Choice

Code = Mapping[str, str]
"""The texts of the user's own code by their file (``Graph.code``)."""

NO_CODE: Code = MappingProxyType({})

_OFFERED = {
    EntryGroup.LOSS: code_losses,
    EntryGroup.DATA: code_data,
    EntryGroup.TRANSFORM: code_transforms,
}
_FOUND = {
    EntryGroup.LOSS: code_loss,
    EntryGroup.DATA: code_dataset,
    EntryGroup.TRANSFORM: code_transform,
}


def available_entries(group: EntryGroup, code: Code = NO_CODE) -> tuple[Entry, ...]:
    """Return what can be chosen: of the catalogue, and losses, data and transforms of the user's
    own code.
    """
    offered = _OFFERED.get(group)
    custom = () if offered is None else offered(code)
    return (*catalog().group(group), *custom)


def entry_of_key(group: EntryGroup, key: str, code: Code = NO_CODE) -> Entry | None:
    """Return what a key stands for; None for an unknown one."""
    found = _FOUND.get(group)
    custom = None if found is None else found(code, key)
    return catalog().entry(group, key) if custom is None else custom


def chosen_entry(group: EntryGroup, choice: Choice | None, code: Code = NO_CODE) -> Entry | None:
    """Return the entry of a choice; None for no choice and for an unknown key."""
    return None if choice is None else entry_of_key(group, choice.type, code)


def initial_choice(
    group: EntryGroup, key: str, previous: Choice | None = None, code: Code = NO_CODE
) -> Choice:
    """Return a choice of an entry with the parameters it starts with. What the previous choice had
    set stays where the new entry has a parameter of that name that accepts it.
    """
    entry = entry_of_key(group, key, code)
    if entry is None:
        return Choice(type=key)
    params = entry.initial_params()
    for name, value in ({} if previous is None else previous.params).items():
        param = entry.param(name)
        if param is not None and check_value(param, value) is None:
            params[name] = value
    return Choice(type=key, params=_sparse(entry, params))


def with_param(entry: Entry, choice: Choice, name: str, value: Value) -> Choice:
    """Return a choice with another value of a parameter; the default is left out."""
    return Choice(type=choice.type, params=_sparse(entry, {**choice.params, name: value}))


def has_need(group: EntryGroup, choice: Choice | None, need: Need, code: Code = NO_CODE) -> bool:
    """Return whether the entry of a choice has that need."""
    entry = chosen_entry(group, choice, code)
    return entry is not None and need in entry.needs


def _sparse(entry: Entry, params: dict[str, Value]) -> dict[str, Value]:
    kept: dict[str, Value] = {}
    for name, value in params.items():
        param = entry.param(name)
        is_default = param is not None and not param.required and value == param.default
        if not is_default or type(value) is not type(param.default if param else None):
            kept[name] = value
    return kept
