"""The layers: every class of torch.nn that maps tensors to tensors, refined by hand."""

import inspect
from typing import Any

from torch import nn

from engine.catalog.spec import Entry, EntryGroup, ParamSpec, PartSpec, PortSpec
from tools.catalog.docstring import markdown, summary
from tools.catalog.introspect import dimensions_of, params_of
from tools.catalog.layer_overlay import (
    ALIASES,
    CALL_PARAMS,
    CATEGORIES,
    FIRST,
    HIDDEN,
    INPUTS,
    NOT_OFFERED,
    OUTPUTS,
    PARTS,
    POSITIONAL,
    RENAMED_SUMMARIES,
    refinement_of,
    variants_of,
)
from tools.catalog.weight import WEIGHTS

RECURRENT = ("RNN", "LSTM", "GRU")


def module_classes() -> dict[str, type[nn.Module]]:
    """Return every Module class that torch.nn exports, by name."""
    members = inspect.getmembers(nn, inspect.isclass)
    return {name: member for name, member in members if issubclass(member, nn.Module)}


def is_loss(name: str) -> bool:
    return name.endswith("Loss")


def layer_entries() -> list[Entry]:
    """Return the layers in the order of the palette."""
    names = [name for name in module_classes() if name not in NOT_OFFERED and not is_loss(name)]
    categories = list(dict.fromkeys(CATEGORIES.values()))
    entries = [_entry(name, module_classes()[name]) for name in names]

    def place(entry: Entry) -> tuple[int, int, str]:
        front = FIRST.index(entry.key) if entry.key in FIRST else len(FIRST)
        return (categories.index(entry.category), front, entry.key)

    return sorted(entries, key=place)


def category_of(owner: type[nn.Module]) -> str:
    """Return the category: by name where one is given, else by the file that defines the class."""
    module = owner.__module__.rpartition(".")[2]
    return CATEGORIES[owner.__name__ if owner.__name__ in CATEGORIES else module]


def _entry(name: str, owner: type[nn.Module]) -> Entry:
    params = _params(name, owner)
    return Entry(
        key=name,
        group=EntryGroup.LAYER,
        category=category_of(owner),
        label=name,
        target=f"nn.{name}",
        summary=RENAMED_SUMMARIES.get(name) or summary(owner.__doc__ or ""),
        doc=markdown(owner.__doc__ or ""),
        params=params,
        inputs=INPUTS.get(name, (PortSpec(name="input"),)),
        outputs=OUTPUTS.get(name, (PortSpec(name="output"),)),
        variants=variants_of(name),
        positional=POSITIONAL.get(name, _leading(params)),
        aliases=ALIASES.get(name, ()),
        parts=PARTS.get(name, ()),
        weights=WEIGHTS.get(name, ()),
    )


def _leading(params: tuple[ParamSpec, ...]) -> tuple[str, ...]:
    """Return the names of the required parameters at the front: written without their names."""
    names: list[str] = []
    for param in params:
        if not param.required:
            break
        names.append(param.name)
    return tuple(names)


def _params(name: str, owner: type[nn.Module]) -> tuple[ParamSpec, ...]:
    calls = CALL_PARAMS.get(name, ())
    overlay = refinement_of(name)
    hidden = HIDDEN.get(name, ())
    if name in RECURRENT:
        return (*_recurrent_params(name, overlay), *calls)
    if name in PARTS:
        return (*_part_params(PARTS[name][0], overlay), *params_of(owner, overlay, 0, hidden))
    dimensions = 2 if name in ("Fold", "Unfold") else dimensions_of(name)
    return (*params_of(owner, overlay, dimensions, hidden), *calls)


def _recurrent_params(name: str, overlay: dict[str, dict[str, Any]]) -> tuple[ParamSpec, ...]:
    """Return the signature of the base: the constructors themselves take anything."""
    texts = {param.name: param.help for param in _described(name)}
    params = list(params_of(nn.RNNBase, overlay, 0, ("mode",)))
    if name != "LSTM":
        params = [param for param in params if param.name != "proj_size"]
    if name == "RNN":
        params.insert(3, _described(name)[-1])
    return tuple(
        ParamSpec(
            **{f: getattr(param, f) for f in param.__struct_fields__}
            | {"help": param.help or texts.get(param.name, "")}
        )
        for param in params
    )


def _described(name: str) -> list[ParamSpec]:
    from engine.catalog.spec import ParamKind
    from tools.catalog.docstring import argument_help

    texts = argument_help(getattr(nn, name).__doc__ or "")
    found = [ParamSpec(name=key, kind=ParamKind.INT, help=text) for key, text in texts.items()]
    nonlinearity = ParamSpec(
        name="nonlinearity",
        kind=ParamKind.CHOICE,
        choices=("tanh", "relu"),
        default="tanh",
        help=texts.get("nonlinearity", ""),
    )
    return [*found, nonlinearity]


def _part_params(part: PartSpec, overlay: dict[str, dict[str, Any]]) -> tuple[ParamSpec, ...]:
    owner = getattr(nn, part.target.removeprefix("nn."))
    return tuple(param for param in params_of(owner, overlay) if param.name in part.params)
