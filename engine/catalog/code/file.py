"""File of custom code: what it offers, what it imports, what is wrong with it.

Only the syntax is read (``ast``); nothing is imported and nothing runs. The same text gives the
same answer from memory.
"""

import ast
import re
import warnings
from functools import lru_cache

import msgspec

from engine.catalog.code.dataset import (
    collate_names,
    data_entries,
    sampler_names,
    worker_init_names,
)
from engine.catalog.code.definition import offer_of
from engine.catalog.code.metric import metric_modes
from engine.catalog.code.transform import transform_entries
from engine.catalog.spec import Entry
from engine.diagnostics import Diagnostic

MAXIMUM_BYTES = 1 << 20
"""Of the text of one file."""

_REMEMBERED = 256
_MOST_BRACES = 20_000
_LONGEST_CHAIN = 100
_CHAIN = re.compile(rf"(?<![\w.])(?:\w++[\s\\]*+\.[\s\\]*+){{{_LONGEST_CHAIN}}}")
"""A name of more parts than any has: Python reads ``import a.a.a…`` in as much memory as the square
of them has bytes, and the braces of an f-string in as much time.
"""


class CodeFile(msgspec.Struct, frozen=True, kw_only=True):
    """What a file offers: entries by the name of the class or function.

    ``nodes`` can stand on the canvas, ``losses`` compare with a target, ``initialisers`` fill a
    tensor, ``data`` have samples, which ``transforms`` change, ``collates`` make batches of and
    ``samplers`` choose, ``batch_samplers`` batch by batch; ``worker_inits`` are functions that a
    process calls at its start which reads samples. ``metrics`` measure what is predicted; of each
    it is told whether higher is better, None where its class does not say.
    ``lines`` tells where each name at the top of the file is defined (from 1) and
    ``imports`` which other names of files of the project it imports (``layers``), with the line.
    ``problem`` (U001) says why nothing could be read.
    """

    nodes: dict[str, Entry] = {}
    losses: dict[str, Entry] = {}
    initialisers: dict[str, Entry] = {}
    data: dict[str, Entry] = {}
    transforms: dict[str, Entry] = {}
    collates: tuple[str, ...] = ()
    samplers: tuple[str, ...] = ()
    batch_samplers: tuple[str, ...] = ()
    worker_inits: tuple[str, ...] = ()
    metrics: dict[str, bool | None] = {}
    lines: dict[str, int] = {}
    imports: dict[str, int] = {}
    problem: Diagnostic | None = None


@lru_cache(maxsize=_REMEMBERED)
def read_file(name: str, text: str) -> CodeFile:
    """Return what a file (``layers.py``) of this text offers; never raises."""
    try:
        tree = parsed(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        return CodeFile(problem=_syntax_problem(name, error))
    stem = name.removesuffix(".py")
    top = [part for part in tree.body if isinstance(part, ast.ClassDef | ast.FunctionDef)]
    classes = {part.name: part for part in top if isinstance(part, ast.ClassDef)}
    functions = {part.name: part for part in top if isinstance(part, ast.FunctionDef)}
    offers = {part.name: offer_of(stem, part, classes) for part in top}
    return CodeFile(
        nodes={key: found.node for key, found in offers.items() if found.node is not None},
        losses={key: found.loss for key, found in offers.items() if found.loss is not None},
        initialisers={k: f.initialiser for k, f in offers.items() if f.initialiser is not None},
        data=data_entries(stem, classes),
        transforms=transform_entries(stem, functions, classes),
        collates=collate_names(functions),
        samplers=sampler_names(classes, of_batches=False),
        batch_samplers=sampler_names(classes, of_batches=True),
        worker_inits=worker_init_names(functions),
        metrics=metric_modes(tree, classes),
        lines={part.name: part.lineno for part in top},
        imports=_imports(tree),
    )


def parsed(text: str) -> ast.Module:
    """Return the syntax tree of a text. Raises what ``ast`` raises, and ``ValueError`` for what it
    would not come to an end with; tells nobody of warnings.
    """
    if text.count("{") > _MOST_BRACES:
        raise ValueError(f"more than {_MOST_BRACES:,} braces")
    if _CHAIN.search(text):
        raise ValueError(f"a name of more than {_LONGEST_CHAIN} parts")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # "invalid escape sequence": told when the code runs
        return ast.parse(text.removeprefix("\ufeff"))  # editors put it before UTF-8


def _imports(tree: ast.Module) -> dict[str, int]:
    """Return what is imported by one word, which may be another file of the project."""
    found: dict[str, int] = {}
    for part in ast.walk(tree):
        if isinstance(part, ast.ImportFrom) and part.module and part.level <= 1:
            if "." not in part.module:
                found.setdefault(part.module, part.lineno)
        elif isinstance(part, ast.Import):
            for name in part.names:
                if "." not in name.name:
                    found.setdefault(name.name, part.lineno)
    return found


def _syntax_problem(name: str, error: Exception) -> Diagnostic:
    line = error.lineno if isinstance(error, SyntaxError) and error.lineno else 1
    column = error.offset if isinstance(error, SyntaxError) and error.offset else 1
    reason = error.msg if isinstance(error, SyntaxError) else str(error) or type(error).__name__
    params: dict[str, str | int | float] = {
        "file": name,
        "line": line,
        "column": column,
        "reason": reason[:300],
    }
    return Diagnostic(code="U001", params=params, detail=str(error)[:2000])
