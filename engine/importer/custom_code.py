"""Custom functions and layers for what the catalogue has no counterpart for: each calls
the very same function, so it computes the same.
"""

import builtins
import re
from typing import NamedTuple

import torch
from torch import Tensor, fx, nn

from engine.catalog.code.file import read_file
from engine.catalog.spec import Entry, Value
from engine.graph.naming import free_name, sanitized_name
from engine.importer.expression import (
    Expressions,
    UnwritableError,
    modal_values,
    parameters_of,
)
from engine.importer.operation import UnmappedError, changes_its_input
from engine.importer.scope import Source
from engine.importer.shipped import Shipped
from engine.importer.trace import Trace, attribute, is_leaf, operation_name
from engine.importer.wiring import source_of
from engine.syntax.format import LINE_LENGTH

_WHOLE = (torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8, torch.bool)
_HEAD = '"""{doc}"""\n'
_DEFINED = re.compile(r"^(?:def|class) (\w+)", re.MULTILINE)
_STOCHASTIC = '''class StochasticDepth(nn.Module):
    """Drop whole samples of a branch while training, and scale those that are left."""

    def __init__(self, *, p: float, mode: str = "batch") -> None:
        super().__init__()
        self.p = p
        self.mode = mode

    def forward(self, input: Tensor) -> Tensor:
        return stochastic_depth(input, self.p, self.mode, self.training)
'''


class Coded(NamedTuple):
    """A node of own code: what arrives at its ports, and which port gives which part of the
    result.
    """

    entry: Entry
    params: dict[str, Value]
    wires: dict[str, Source]
    outputs: dict[tuple[int | str, ...], str]


class CodeFile:
    """One file of own code, put together definition by definition; the same one is there once."""

    def __init__(self, trace: Trace) -> None:
        self.stem = sanitized_name(type(trace.module).__name__.lower())
        self._doc = f"What {type(trace.module).__name__} computes and no layer has."
        self._trace = trace
        self._imports: set[str] = set()
        self._definitions: dict[str, str] = {}
        self._shipped: dict[str, str] = {}
        parts = (part for part in trace.module.modules() if not is_leaf(part))
        self._names = {type(part).__name__.lstrip("_") for part in parts}

    def files(self) -> dict[str, str]:
        """Return the files that nodes need, those that ship with the program among them."""
        if not self._definitions:
            return dict(self._shipped)
        return {f"{self.stem}.py": self._text(list(self._definitions.values())), **self._shipped}

    def names(self) -> set[str]:
        """Return what the definitions are called."""
        return {name for text in self._definitions.values() for name in _DEFINED.findall(text)}

    def operation(self, node: fx.Node) -> Coded:
        """Return a call as a node. Raises :class:`UnmappedError`."""
        try:
            return self._operation(node)
        except UnwritableError as error:
            raise UnmappedError(error.code) from error

    def stochastic_depth(self, node: fx.Node, layer: nn.Module) -> Coded:
        """Return torchvision's ``StochasticDepth`` as a layer with its settings as a form."""
        self._imports.add("from torchvision.ops import stochastic_depth")
        entry = self._entry("StochasticDepth", _STOCHASTIC)
        params: dict[str, Value] = {"p": float(getattr(layer, "p", 0.0))}
        if getattr(layer, "mode", "") != "batch":
            params["mode"] = str(getattr(layer, "mode", ""))
        source = node.args[0] if node.args else node.kwargs["input"]
        assert isinstance(source, fx.Node)
        return Coded(entry, params, {"input": source_of(source, self._trace)}, {(): "output"})

    def shipped(self, node: fx.Node, call: Shipped) -> Coded:
        """Return the call of a layer as a node of code that ships with the program."""
        self._shipped |= call.files()
        entry = call.entry()
        names = [port.name for port in entry.inputs]
        wires: dict[str, Source] = {}
        for name, value in {**dict(zip(names, node.args, strict=False)), **node.kwargs}.items():
            several = isinstance(value, list | tuple)
            for position, item in enumerate(value if several else [value]):
                assert isinstance(item, fx.Node)
                wires[f"{name}.{position}" if several else name] = source_of(item, self._trace)
        return Coded(entry, call.params(), wires, {port.path: port.name for port in entry.outputs})

    def constant(self, node: fx.Node) -> Coded | None:
        """Return a small tensor that is not among the weights, with its numbers written out."""
        value = attribute(self._trace.module, str(node.target))
        if not isinstance(value, Tensor) or value.is_meta:
            return None
        if not (value.is_floating_point() or value.dtype in _WHOLE):
            return None
        made = Expressions(self._trace)
        try:
            written = made.literal_tensor(value)
        except UnwritableError:
            return None
        name = sanitized_name(str(node.target).rpartition(".")[2])
        doc = f'    """{_plain(str(node.target))}: a tensor that is not among the weights."""'
        lines = [f"def {name}(like: Tensor) -> Tensor:", doc, f"    return {written}"]
        entry = self._entry(name, "\n".join(lines) + "\n")
        return Coded(entry, {}, made.wires, {(): "output"})

    def _operation(self, node: fx.Node) -> Coded:
        made = Expressions(self._trace)
        outputs = _used(node, self._trace)
        modal = modal_values(node) and "exact" not in node.meta
        params = parameters_of(node) if "exact" not in node.meta else {}
        value = made.call(node, params, of_self=modal)
        body = _body(made, value, list(outputs))
        name = _name(node, is_class=bool(modal))
        kind = "Tensor" if len(outputs) == 1 else f"tuple[{', '.join(['Tensor'] * len(outputs))}]"
        ports = ", ".join(f"{port}: {annotation}" for port, annotation in made.ports.items())
        form = "".join(f", {key}: {param.annotation}" for key, param in params.items())
        form = f", *{form}" if params else ""
        if modal:
            head = [f"class {name}(nn.Module):", *_made(form, list(params))]
            head += ["", f"    def forward(self, {ports}) -> {kind}:"]
            body = [f"    {line}" for line in body]
        else:
            head = [f"def {name}({ports}{form}) -> {kind}:"]
        text = _definition(head, body, node)
        self._imports |= made.imports
        entry = self._entry(name, text)
        ports_of = [port.name for port in entry.outputs]
        return Coded(
            entry,
            {key: param.value for key, param in params.items()},
            made.wires,
            dict(zip(outputs, ports_of, strict=True)),
        )

    def _entry(self, name: str, text: str) -> Entry:
        """Return the entry of a definition; it is added unless it is there already."""
        key = text.replace(name, "", 1)
        if key not in self._definitions:
            base = f"{name}Call" if name in self._names and name[0].isupper() else name
            free = free_name(base, {*self._names, *dir(builtins), *self._imported()})
            self._names.add(free)
            self._definitions[key] = text.replace(name, free, 1)
        text = self._definitions[key]
        entries = read_file(f"{self.stem}.py", self._text([text])).nodes
        if len(entries) != 1:
            raise UnmappedError
        return next(iter(entries.values()))

    def _imported(self) -> set[str]:
        return {line.rpartition(" ")[2] for line in self._imports}

    def _text(self, definitions: list[str]) -> str:
        always = {"import torch", "import torch.nn.functional as F"}
        imports = "\n".join(sorted(self._imports | always))
        head = _HEAD.format(doc=self._doc)
        body = "\n\n".join(definitions)
        lines = f"{head}\n{imports}\nfrom torch import Tensor, nn\n\n\n{body}"
        return lines.rstrip() + "\n"


def _used(node: fx.Node, trace: Trace) -> dict[tuple[int | str, ...], None]:
    """Return the places in what a call gives that something asks for, each once."""
    if isinstance(trace.values[node].first, Tensor):
        return {(): None}
    paths: dict[tuple[int | str, ...], None] = {}
    waiting = list(node.users)
    for user in waiting:
        source, path = source_of(user, trace)
        if source is not node:
            raise UnwritableError
        if isinstance(trace.values[user].first, Tensor):
            paths[path] = None
        elif trace.has_tensor(user):
            waiting += list(user.users)
    if not paths:
        raise UnwritableError
    return paths


def _body(made: Expressions, value: str, outputs: list[tuple[int | str, ...]]) -> list[str]:
    lines = list(made.lines)
    if outputs == [()]:
        return [*lines, f"return {value}"]
    picks = ["result" + "".join(f"[{part!r}]" for part in path) for path in outputs]
    return [*lines, f"result = {value}", f"return {', '.join(picks)}"]


def _made(form: str, names: list[str]) -> list[str]:
    """Return the constructor of a layer that keeps its parameters."""
    if not names:
        return []
    return [
        "",
        f"    def __init__(self{form}) -> None:",
        "        super().__init__()",
        *(f"        self.{name} = {name}" for name in names),
    ]


def _definition(head: list[str], body: list[str], node: fx.Node) -> str:
    note = "; what arrives stays as it is" if changes_its_input(node) else ""
    doc = f'    """{_plain(operation_name(node))}{note}."""'
    lines = [head[0], doc, *head[1:], *(f"    {line}" for line in body)]
    return "\n".join(part for line in lines for part in _wrapped(line)) + "\n"


def _wrapped(line: str) -> list[str]:
    """Return a line, or where it is too long, with an argument a line; texts are left whole."""
    start, end = line.find("("), line.rfind(")")
    if len(line) <= LINE_LENGTH or start < 0 or any(mark in line for mark in ('"', "'")):
        return [line]
    indent = " " * (len(line) - len(line.lstrip()))
    parts, depth = [""], 0
    for char in line[start + 1 : end]:
        depth += (char in "([{") - (char in ")]}")
        if depth < 0:
            return [line]  # the brackets are of two calls
        if char == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += char
    inside = [f"{indent}    {part.strip()}," for part in parts]
    return [line[: start + 1], *inside, f"{indent}{line[end:]}"]


def _plain(text: str) -> str:
    """Return a name of a stranger's so that it cannot end the text that it stands in."""
    return re.sub(r"[^\w. ]", "", text)[:80]


def _name(node: fx.Node, *, is_class: bool) -> str:
    is_attribute = node.target is getattr
    word = str(node.args[1]) if is_attribute else operation_name(node).rpartition(".")[2].strip("_")
    word = word.removeprefix("special_").removeprefix("fft_").removeprefix("linalg_")
    name = sanitized_name(word)
    if not is_class:
        return name if not name.endswith("_") else f"{name}call"
    return "".join(part[:1].upper() + part[1:] for part in name.split("_"))
