"""Modules of PyTorch that the palette does not have: each becomes a layer of own code that is one.

It inherits from the module, so its weights have the names that they have in the text.
"""

import inspect
from functools import cache
from typing import Any

import libcst as cst
from torch import nn
from torch.nn.modules.lazy import LazyModuleMixin

from engine.catalog.spec import Entry
from engine.graph.code import PARTS_FILE, code_entries
from engine.reader.interpreter.setting import plain_text
from engine.reader.interpreter.value import Built, Made, Part, UnreadError

_HOME = "torch.nn."
_OTHERS = (nn.Sequential, nn.ModuleList, nn.ModuleDict, nn.ParameterList, nn.ParameterDict)
_CLASS = """\
from torch import nn

class part({base}):
    def __init__(self):
        super().__init__({arguments})

    def forward(self, {inputs}):
        return super().forward({inputs})
"""


@cache
def module_class(path: str) -> type[nn.Module] | None:
    """Return a module of PyTorch by its full name; nothing for what is no module."""
    candidate = getattr(nn, path.removeprefix(_HOME), None) if path.startswith(_HOME) else None
    return candidate if inspect.isclass(candidate) and issubclass(candidate, nn.Module) else None


def takes_keywords(built: Built) -> bool:
    """Return whether a module of PyTorch knows the names of all arguments that it is made with."""
    kind = module_class(built.path)
    return kind is not None and set(built.keywords) <= set(inspect.signature(kind).parameters)


def unlisted_layer(built: Built, attribute: str) -> tuple[Made, Entry] | None:
    """Return the node of a module that is not of the palette, with its description. Nothing
    for other modules, for what holds others and for lazy ones, which have no weights to count.

    Raises :class:`UnreadError` T022 for one that is made from more than plain values.
    """
    kind = module_class(built.path)
    if kind is None or issubclass(kind, (LazyModuleMixin, *_OTHERS)):
        return None
    values = [_plain(value, built) for value in built.arguments]
    values += [f"{name}={_plain(value, built)}" for name, value in built.keywords.items()]
    parameters = inspect.signature(kind.forward).parameters.values()
    required = [one.name for one in parameters if one.default is inspect.Parameter.empty][1:]
    text = _CLASS.format(
        base=built.path.removeprefix("torch."),
        arguments=", ".join(values),
        inputs=", ".join(required),
    )
    imported, definition = cst.parse_module(text).body
    assert isinstance(definition, cst.ClassDef)
    assert isinstance(imported, cst.SimpleStatementLine)
    definition = definition.with_changes(leading_lines=())
    is_typed = any("torch." in value for value in values)
    imports = ("from torch import nn", *(["import torch"] if is_typed else []))
    part = Part(definition=definition, word=kind.__name__, imports=imports)
    made = Made(type="", params={}, attribute=attribute, syntax=built.syntax, part=part)
    return made, code_entries({PARTS_FILE: text})[0]


def _plain(value: Any, built: Built) -> str:
    text = plain_text(value)
    if text is None:
        raise UnreadError(built.syntax, "T022", name=built.path)
    return text
