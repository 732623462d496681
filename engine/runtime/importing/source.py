"""What is typed about an import, and which models a Python file offers, which is read, not run."""

import ast
import re
from pathlib import Path

import msgspec

from engine.catalog.validate import DTYPES
from engine.diagnostics import Diagnostic, DiagnosticError
from engine.files import open_file
from engine.runtime.importing.request import Argument, InputSize, Plain

_SIZES = re.compile(r"(\d{1,6}(?:\s*[x×,]\s*\d{1,6})*)(?:\s*:\s*(\w+))?", re.ASCII)
_BASES = ("Module", "Sequential")
_MOST_BYTES = 4 << 20


class ModelClass(msgspec.Struct, frozen=True, kw_only=True):
    """A class of a file that is a model: its constructor's arguments as they are written, and those
    that have to be given.
    """

    name: str
    arguments: str = ""
    required: tuple[str, ...] = ()


def parse_inputs(text: str) -> tuple[InputSize, ...]:
    """Return the sizes of inputs from ``3x224x224`` or ``128:int64``, several by semicolons.

    Raises :class:`DiagnosticError` (I048).
    """
    return tuple(_input_size(part.strip()) for part in text.split(";") if part.strip())


def _input_size(text: str) -> InputSize:
    match = _SIZES.fullmatch(text)
    dtype = (match[2] if match else None) or "float32"
    if match is None or dtype not in DTYPES:
        raise DiagnosticError.of("I048", field="inputs", text=text)
    return InputSize(shape=tuple(map(int, re.findall(r"\d+", match[1]))), dtype=dtype)


def parse_arguments(text: str) -> dict[str, Argument]:
    """Return the arguments of a constructor from ``width=64, sizes=[2, 2]``: plain values and lists
    of them.

    Raises :class:`DiagnosticError` (I049).
    """
    problem = Diagnostic(code="I049", field="arguments", params={"text": text})
    try:
        call = ast.parse(f"f({text}\n)", mode="eval").body
        assert isinstance(call, ast.Call)
        found = {word.arg: ast.literal_eval(word.value) for word in call.keywords}
    except (SyntaxError, ValueError, AssertionError, RecursionError, MemoryError) as error:
        raise DiagnosticError(problem) from error
    given = {name: value for name, value in found.items() if name is not None}
    if call.args or len(given) != len(call.keywords):
        raise DiagnosticError(problem)
    return {name: _argument(value, problem) for name, value in given.items()}


def _argument(value: object, problem: Diagnostic) -> Argument:
    if isinstance(value, Plain):
        return value
    parts = list(value) if isinstance(value, list | tuple) else [value]
    plain = [part for part in parts if isinstance(part, Plain)]
    if len(plain) != len(parts):
        raise DiagnosticError(problem)
    return plain


def model_classes(file: Path) -> tuple[ModelClass, ...]:
    """Return the classes of a file that look like models, in its order.

    Raises :class:`DiagnosticError`: I021 for a file that cannot be read, I050 for one that is no
    Python, I051 where there is none.
    """
    params: dict[str, str | int | float] = {"file": file.name}
    try:
        with open_file(file) as stream:
            tree = ast.parse(stream.read(_MOST_BYTES))
    except OSError as error:
        problem = Diagnostic(code="I021", field="file", params=params, detail=str(error))
        raise DiagnosticError(problem) from error
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        params["line"] = getattr(error, "lineno", None) or 1
        problem = Diagnostic(code="I050", field="file", params=params, detail=str(error))
        raise DiagnosticError(problem) from error
    found: dict[str, ModelClass] = {}
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and _is_model(node, found):
            found[node.name] = _described(node)
    if not found:
        raise DiagnosticError(Diagnostic(code="I051", field="file", params=params))
    return tuple(found.values())


def _is_model(node: ast.ClassDef, known: dict[str, ModelClass]) -> bool:
    bases = {base.id if isinstance(base, ast.Name) else _last(base) for base in node.bases}
    return any(base in known or base.endswith(_BASES) for base in bases) or any(
        isinstance(part, ast.FunctionDef) and part.name == "forward" for part in node.body
    )


def _last(base: ast.expr) -> str:
    return base.attr if isinstance(base, ast.Attribute) else ""


def _described(node: ast.ClassDef) -> ModelClass:
    inits = [p for p in node.body if isinstance(p, ast.FunctionDef) and p.name == "__init__"]
    if not inits:
        return ModelClass(name=node.name)
    given = inits[0].args
    words = [*given.posonlyargs, *given.args][1:]
    plain = words[: len(words) - len(given.defaults)]
    keyed = [
        word
        for word, default in zip(given.kwonlyargs, given.kw_defaults, strict=True)
        if default is None
    ]
    own = ast.arguments(
        posonlyargs=[],
        args=words,
        vararg=given.vararg,
        kwonlyargs=given.kwonlyargs,
        kw_defaults=given.kw_defaults,
        kwarg=given.kwarg,
        defaults=given.defaults[-len(words) :] if words else [],
    )
    return ModelClass(
        name=node.name,
        arguments=ast.unparse(own),
        required=tuple(word.arg for word in [*plain, *keyed]),
    )
