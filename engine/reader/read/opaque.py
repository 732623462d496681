"""Modules of other packages in the model's text: each becomes a layer of own code that makes it.

Nothing of the package runs while the text is read. What is made by a class is a layer that is one
(so its weights have the names that they have in the text), what a function gives is a function.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import libcst as cst

from engine.catalog.spec import Entry
from engine.graph.code import PARTS_FILE, code_entries
from engine.graph.naming import free_name, name_problem
from engine.reader.interpreter.setting import plain_text
from engine.reader.interpreter.value import Made, Member, Opaque, Part, Ref, UnreadError
from engine.reader.outline.extraction import Construction, Extraction
from engine.reader.read.layer import results

_CLASS = """\
class part({base}, nn.Module):
    def __init__({own}) -> None:
{before}        super().__init__({arguments})

    def forward({inputs}):
{after}
"""
_FUNCTION = """\
def part({own}) -> nn.Module:
{before}    return {text}
"""
_INPUT = "x"


class _Asked(NamedTuple):
    """How a module is called: the tensors by the names of their ports, the arguments as text, and
    how many tensors come back.
    """

    wires: dict[str, Ref]
    given: list[str]
    width: int = 1


def opaque_layer(content: Opaque, attribute: str) -> tuple[Made, Entry]:
    """Return the node of a module that one tensor goes through, with its description.

    Raises :class:`UnreadError`.
    """
    return _layer(content, attribute, _Asked({}, [_INPUT]))


def opaque_call(
    member: Member,
    arguments: Sequence[Any],
    keywords: Mapping[str, Any],
    width: int,
    syntax: cst.CSTNode,
) -> tuple[Made, Any]:
    """Return the node of a call of a module, and what it gives. Raises :class:`UnreadError`."""
    asked = _asked(arguments, keywords, max(width, 1), syntax)
    made, entry = _layer(member.content, member.attribute, asked)
    if member.first is not None and not _is_alike(member.first, made):
        raise UnreadError(syntax, "T010")
    made.shares = member.first
    ports = [port.name for port in entry.inputs]
    made.wires |= dict(zip(ports, asked.wires.values(), strict=True))
    return made, results(made, entry)


def _asked(
    arguments: Sequence[Any], keywords: Mapping[str, Any], width: int, syntax: cst.CSTNode
) -> _Asked:
    wires: dict[str, Ref] = {}
    given: list[str] = []
    for name, value in [*(("", one) for one in arguments), *keywords.items()]:
        word = plain_text(value)
        if isinstance(value, Ref):
            word = free_name(name or _INPUT, wires)
            wires[word] = value
        elif word is None:
            raise UnreadError(syntax, "T012")
        given.append(f"{name}={word}" if name else word)
    return _Asked(wires, given, width)


def _layer(content: Opaque, attribute: str, asked: _Asked) -> tuple[Made, Entry]:
    try:
        construction = Extraction(content.evaluator, content.expression).construction(
            content.expression
        )
    except UnreadError as error:
        raise content.error from error
    base = _class_name(construction)
    text = _class(construction, base, asked) if base else _function(construction, asked)
    if text is None:
        raise content.error
    word = base.rpartition(".")[2] or _word(attribute)
    definition = cst.parse_module(text).body[0]
    assert isinstance(definition, cst.ClassDef | cst.FunctionDef)
    part = Part(definition=definition, word=word, imports=construction.imports)
    values = dict(construction.values)
    made = Made(type="", params=values, attribute=attribute, syntax=content.expression, part=part)
    return made, code_entries({PARTS_FILE: f"from torch import nn\n{text}"})[0]


def _class_name(construction: Construction) -> str:
    """Return the class that an expression calls, as far as its name tells; nothing for others."""
    call = cst.parse_expression(construction.text)
    if not isinstance(call, cst.Call):
        return ""
    name = cst.Module(body=[]).code_for_node(call.func)
    is_path = all(part.isidentifier() for part in name.split("."))
    return name if is_path and name.rpartition(".")[2][:1].isupper() else ""


def _class(construction: Construction, base: str, asked: _Asked) -> str:
    call = cst.parse_expression(construction.text)
    assert isinstance(call, cst.Call)
    arguments = [
        cst.Module(body=[]).code_for_node(one.with_changes(comma=cst.MaybeSentinel.DEFAULT))
        for one in call.args
    ]
    called = f"super().forward({', '.join(asked.given)})"
    names = [f"part{index}" for index in range(asked.width)]
    several = ", ".join(names)
    lines = (
        [f"return {called}"] if asked.width < 2 else [f"{several} = {called}", f"return {several}"]
    )
    return _CLASS.format(
        base=base,
        own=", ".join(["self", *construction.params]),
        before=_indented(construction.before, 8),
        arguments=", ".join(arguments),
        inputs=", ".join(["self", *(asked.wires or [_INPUT])]),
        after=_indented(lines, 8).rstrip("\n"),
    )


def _function(construction: Construction, asked: _Asked) -> str | None:
    """Return a function that makes a module; nothing for one that takes or gives more than one
    tensor, of which a function says nothing.
    """
    if len(asked.given) != 1 or asked.width > 1:
        return None
    lines = _indented(construction.before, 4)
    return _FUNCTION.format(
        own=", ".join(construction.params), before=lines, text=construction.text
    )


def _indented(texts: Sequence[str], width: int) -> str:
    lines = [line for text in texts for line in text.rstrip("\n").splitlines()]
    return "".join(f"{' ' * width}{line}\n" for line in lines)


def _word(attribute: str) -> str:
    word = attribute.partition(".")[0]
    return word if name_problem(word) is None else "layer"


def _is_alike(one: Made, other: Made) -> bool:
    if one.part is None or other.part is None:
        return False
    return one.part.definition.deep_equals(other.part.definition) and one.params == other.params
