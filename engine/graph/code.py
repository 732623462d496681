"""Custom code in a graph: which nodes are made from which file, and what the files offer.

A node of the type ``code.FILE.NAME`` is made from the class or function NAME of ``FILE.py`` in
``Graph.code``. Files are read, never imported (``engine.catalog.code``).
"""

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from typing import Literal, NamedTuple

from msgspec.structs import replace

from engine.catalog.code.file import CodeFile, read_file
from engine.catalog.spec import AUTO, Entry, ParamKind, ParamSpec
from engine.graph.memory import Memory
from engine.graph.model import Graph, Node

CODE_PREFIX = "code."
SUFFIX = ".py"
MODEL_FILE = "model.py"
"""The text of the model itself, once it was edited: it offers nothing to be put on the canvas."""
DRAFT_FILE = "model_draft.py"
"""What was typed as the text of the model while the canvas does not follow it: it has a mistake."""
TEXT_FILES = (MODEL_FILE, DRAFT_FILE)
COLLATE_PARAM, SAMPLER_PARAM = "collate_fn", "sampler"
"""What is chosen with a class that has samples, besides the arguments of its constructor."""
PARTS_FILE = "model_parts.py"
"""Own code made of those pieces of the model's text that no layer or operator stands for."""


class Symbol(NamedTuple):
    """A definition: the name of its file (``layers.py``) and its own."""

    file: str
    name: str


def code_symbol(key: str) -> Symbol | None:
    """Return where the definition of a type ``code.layers.Norm`` stands; None for other types."""
    if not key.startswith(CODE_PREFIX):
        return None
    stem, _, name = key.removeprefix(CODE_PREFIX).partition(".")
    return Symbol(stem + SUFFIX, name)


def code_key(file: str, name: str) -> str:
    """Return the type of what a definition makes: ``code.layers.Norm``."""
    return f"{CODE_PREFIX}{file.removesuffix(SUFFIX)}.{name}"


def file_of(code: Mapping[str, str], file: str) -> CodeFile:
    """Return what a file offers; nothing of one that is not there."""
    text = code.get(file)
    return CodeFile() if text is None or file in TEXT_FILES else read_file(file, text)


def code_entry(code: Mapping[str, str], key: str) -> Entry | None:
    """Return the description of a type ``code.FILE.NAME``, if there is such a node in a file."""
    symbol = code_symbol(key)
    return None if symbol is None else file_of(code, symbol.file).nodes.get(symbol.name)


def code_loss(code: Mapping[str, str], key: str) -> Entry | None:
    """Return the loss that a key ``code.FILE.NAME`` stands for, if there is one."""
    symbol = code_symbol(key)
    return None if symbol is None else file_of(code, symbol.file).losses.get(symbol.name)


def code_initialiser(code: Mapping[str, str], key: str) -> Entry | None:
    """Return the initialiser that a key ``code.FILE.name_`` stands for, if there is one.

    Its only port is ``tensor``, the tensor that it fills in place; its parameters are the form.
    """
    symbol = code_symbol(key)
    return None if symbol is None else file_of(code, symbol.file).initialisers.get(symbol.name)


def code_entries(code: Mapping[str, str]) -> tuple[Entry, ...]:
    """Return everything of the files that can be put on the canvas."""
    return tuple(entry for file in code for entry in file_of(code, file).nodes.values())


def code_losses(code: Mapping[str, str]) -> tuple[Entry, ...]:
    """Return everything of the files that can be chosen as a loss."""
    return tuple(entry for file in code for entry in file_of(code, file).losses.values())


def code_initialisers(code: Mapping[str, str]) -> tuple[Entry, ...]:
    """Return everything of the files that can fill a tensor."""
    return tuple(entry for file in code for entry in file_of(code, file).initialisers.values())


def code_data(code: Mapping[str, str]) -> tuple[Entry, ...]:
    """Return every class of the files that has samples, with the choice of what makes batches of
    them and of what draws them.
    """
    more = _data_params(code)
    return tuple(
        _with_params(entry, more) for file in code for entry in file_of(code, file).data.values()
    )


def code_dataset(code: Mapping[str, str], key: str) -> Entry | None:
    """Return the class with samples that a key ``code.FILE.NAME`` stands for, if there is one."""
    symbol = code_symbol(key)
    entry = None if symbol is None else file_of(code, symbol.file).data.get(symbol.name)
    return None if entry is None else _with_params(entry, _data_params(code))


def code_transforms(code: Mapping[str, str]) -> tuple[Entry, ...]:
    """Return everything of the files that can change a sample of the data."""
    return tuple(entry for file in code for entry in file_of(code, file).transforms.values())


def code_transform(code: Mapping[str, str], key: str) -> Entry | None:
    """Return the transform that a key ``code.FILE.NAME`` stands for, if there is one."""
    symbol = code_symbol(key)
    return None if symbol is None else file_of(code, symbol.file).transforms.get(symbol.name)


def _with_params(entry: Entry, more: Iterable[ParamSpec]) -> Entry:
    """Return a class with what can be chosen besides its arguments, where it has none called so."""
    missing = (param for param in more if entry.param(param.name) is None)
    return replace(entry, params=(*entry.params, *missing))


def _data_params(code: Mapping[str, str]) -> tuple[ParamSpec, ...]:
    collates, samplers = code_names(code, "collates"), code_names(code, "samplers")
    collate_help = "How samples become a batch. auto: by the collate_fn of the class, or stacked."
    sampler_help = "Which samples an epoch has, and in which order. auto: by the settings below."
    found = (
        (COLLATE_PARAM, collates, "collate_fn", collate_help),
        (SAMPLER_PARAM, samplers, "Sampler", sampler_help),
    )
    return tuple(
        ParamSpec(
            name=name,
            kind=ParamKind.CHOICE,
            default=AUTO,
            choices=(AUTO, *choices),
            label=label,
            help=text,
            advanced=not choices,
        )
        for name, choices, label, text in found
    )


def code_names(
    code: Mapping[str, str],
    kind: Literal["collates", "samplers", "batch_samplers", "worker_inits", "metrics"],
) -> tuple[str, ...]:
    """Return what of a kind the files offer, as it is chosen by: ``data.pad``."""
    return tuple(
        code_key(file, name).removeprefix(CODE_PREFIX)
        for file in code
        for name in getattr(file_of(code, file), kind)
    )


def code_metric(code: Mapping[str, str], name: str) -> bool:
    """Return whether a name (``scores.Hits``) stands for a metric of the files."""
    return name in code_names(code, "metrics")


def higher_is_better(code: Mapping[str, str], name: str) -> bool | None:
    """Return whether a metric of the files (``scores.Hits``) says that higher is better; None where
    it says nothing, or is not there.
    """
    file, _, own = name.partition(".")
    return file_of(code, file + SUFFIX).metrics.get(own)


def code_digest(code: Mapping[str, str]) -> str:
    """Return the sha256 over the names and texts of all files, in hex: what trust is given to."""
    return _digests.recall((code,), lambda: _digest(code))


_digests = Memory[str](64)  # the texts are never changed in place


def _digest(code: Mapping[str, str]) -> str:
    digest = hashlib.sha256()
    for name in sorted(code):
        for part in (name, code[name]):
            content = part.encode("utf-8", "surrogatepass")
            digest.update(len(content).to_bytes(8, "big") + content)
    return digest.hexdigest()


def needed_files(code: Mapping[str, str], files: Iterable[str]) -> tuple[str, ...]:
    """Return files and those that they import, what is imported before what imports it.

    Files that import each other in a circle come in the order of the first one; those that are not
    there are left out.
    """
    ordered: list[str] = []
    seen: set[str] = set()
    waiting = [(file, False) for file in reversed(list(files))]
    while waiting:
        file, is_done = waiting.pop()
        if is_done:
            ordered.append(file)
        elif file in code and file not in seen:
            seen.add(file)
            waiting.append((file, True))
            waiting += [(name + SUFFIX, False) for name in reversed(file_of(code, file).imports)]
    return tuple(ordered)


def used_files(graph: Graph) -> tuple[str, ...]:
    """Return the files that nodes of the model and of its blocks are made from, and what those
    import, in the order in which they can be written.
    """
    symbols = (code_symbol(key) for _, node in code_nodes(graph) for key in code_types(node))
    return needed_files(graph.code, dict.fromkeys(symbol.file for symbol in symbols if symbol))


def runs_code(graph: Graph) -> bool:
    """Return whether a text that a user wrote is run with a model: its own, or that of files."""
    return MODEL_FILE in graph.code or bool(used_files(graph))


def code_types(node: Node) -> list[str]:
    """Return what of a node is made from the user's own code: its type, its initialisers."""
    keys = [node.type, *(initial.type for initial in node.init.values())]
    return [key for key in keys if key.startswith(CODE_PREFIX)]


def code_nodes(graph: Graph) -> Iterator[tuple[str, Node]]:
    """Yield every node that is made from the user's own code or begins by it, with the block it
    stands in (empty: the model).
    """
    levels = [("", graph.nodes), *((name, block.nodes) for name, block in graph.blocks.items())]
    for holder, nodes in levels:
        for node in nodes.values():
            if code_types(node):
                yield holder, node
