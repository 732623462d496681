"""Mistakes in custom code that PyTorch reports late or not at all, found in its syntax."""

import ast
from collections.abc import Iterator
from functools import lru_cache

from engine.catalog.code.file import parsed
from engine.diagnostics import Diagnostic, Severity

_CACHE_SIZE = 256
_MODULES = ("Module", "nn.Module", "torch.nn.Module")
_LAYERS = ("nn.", "torch.nn.")
_FUNCTIONS = ("F.", "functional.", "nn.functional.", "torch.nn.functional.")
_DROPOUTS = ("dropout", "dropout1d", "dropout2d", "dropout3d", "alpha_dropout")
_COPYING = frozenset({"to", "cuda", "cpu", "float", "double", "half", "bfloat16", "long", "int"})
_MODEL_NAMES = frozenset({"self", "model", "module", "net", "network", "layer"})
# Prefixes of the layers with parameters, buffers or a training mode.
_STATEFUL_PREFIXES = (
    *("AdaptiveLog", "Alpha", "Batch", "Bilinear", "Conv", "Dropout", "Embedding"),
    *("FeatureAlpha", "GRU", "Group", "Instance", "LSTM", "Layer", "Lazy", "Linear", "Multihead"),
    *("PReLU", "Parameter", "RMSNorm", "RNN", "SyncBatch", "Transformer"),
)


@lru_cache(maxsize=_CACHE_SIZE)
def advice(name: str, text: str) -> tuple[Diagnostic, ...]:
    """Return what a file (``layers.py``) of this text is warned of, each at its line.

    That is a layer without ``super().__init__()`` (U040), layers in a plain list or dictionary
    (U041), a slice that goes backwards (U042), ``iterator.next()`` (U043), a layer that is made in
    ``forward`` (U044), dropout that evaluation does not switch off (U045), the result of ``x.to()``
    thrown away (U046). Never raises; nothing is told of what cannot be read.
    """
    try:
        tree = parsed(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ()
    found: list[tuple[str, ast.AST, str]] = []
    for part in ast.walk(tree):
        if isinstance(part, ast.ClassDef) and _is_layer(part):
            found += _plain_containers(part)
            found += _made_in_forward(part)
        elif isinstance(part, ast.Subscript) and _goes_backwards(part):
            found.append(("U042", part, ast.unparse(part)))
        elif isinstance(part, ast.Call) and _is_next(part):
            found.append(("U043", part, ast.unparse(part)))
        elif isinstance(part, ast.Call) and _always_drops(part):
            found.append(("U045", part, ast.unparse(part.func)))
        elif isinstance(part, ast.FunctionDef):
            found += [("U046", lost, ast.unparse(lost)) for lost in _lost_copies(part)]
    ordered = sorted(found, key=lambda item: getattr(item[1], "lineno", 0))
    return tuple(_warning(code, name, part, symbol) for code, part, symbol in ordered)


def _warning(code: str, file: str, part: ast.AST, symbol: str) -> Diagnostic:
    params: dict[str, str | int | float] = {
        "file": file,
        "line": getattr(part, "lineno", 1),
        "column": getattr(part, "col_offset", 0) + 1,
        "symbol": symbol[:80],
    }
    is_hint = code in ("U042", "U046")  # right for a list, or for a module
    severity = Severity.HINT if is_hint else Severity.WARNING
    return Diagnostic(code=code, severity=severity, params=params)


def _is_layer(part: ast.ClassDef) -> bool:
    return any(ast.unparse(parent) in _MODULES for parent in part.bases)


def _plain_containers(part: ast.ClassDef) -> Iterator[tuple[str, ast.AST, str]]:
    init = next(
        (m for m in part.body if isinstance(m, ast.FunctionDef) and m.name == "__init__"), None
    )
    if init is None:
        return
    if not any(_is_super_call(item) for item in ast.walk(init)):
        yield "U040", init, part.name
    for statement in ast.walk(init):
        if isinstance(statement, ast.Assign | ast.AnnAssign) and statement.value is not None:
            own = next((ast.unparse(t) for t in _targets(statement) if _is_self_attribute(t)), "")
            if own and _holds_layers(statement.value):
                yield "U041", statement, own
        elif isinstance(statement, ast.Call) and _appends_layer(statement, init):
            yield "U041", statement, ast.unparse(statement.func).rpartition(".")[0]


def _made_in_forward(layer: ast.ClassDef) -> Iterator[tuple[str, ast.AST, str]]:
    """Find layers that each step makes anew: nobody trains them or moves them to a device."""
    for method in layer.body:
        if isinstance(method, ast.FunctionDef) and method.name == "forward":
            for part in ast.walk(method):
                if isinstance(part, ast.Call) and _makes_layer(part) and _has_state(part):
                    yield "U044", part, ast.unparse(part.func)


def _has_state(made: ast.Call) -> bool:
    return ast.unparse(made.func).rpartition(".")[2].startswith(_STATEFUL_PREFIXES)


def _is_super_call(part: ast.AST) -> bool:
    if not isinstance(part, ast.Call) or not isinstance(part.func, ast.Attribute):
        return False
    return part.func.attr == "__init__"  # super().__init__() or nn.Module.__init__(self)


def _targets(statement: ast.Assign | ast.AnnAssign) -> list[ast.expr]:
    return statement.targets if isinstance(statement, ast.Assign) else [statement.target]


def _is_self_attribute(target: ast.expr) -> bool:
    return (
        isinstance(target, ast.Attribute)
        and isinstance(target.value, ast.Name)
        and target.value.id == "self"
    )


def _holds_layers(value: ast.expr) -> bool:
    match value:
        case ast.List(elts=items) | ast.Tuple(elts=items):
            return any(map(_makes_layer, items))
        case ast.Dict(values=items):
            return any(map(_makes_layer, items))
        case ast.ListComp(elt=item) | ast.DictComp(value=item):
            return _makes_layer(item)
        case _:
            return False


def _makes_layer(item: ast.expr) -> bool:
    if not isinstance(item, ast.Call) or not isinstance(item.func, ast.Attribute):
        return False
    called = ast.unparse(item.func)
    name = called.rpartition(".")[2]
    return called.startswith(_LAYERS) and name[:1].isupper()


def _appends_layer(call: ast.Call, init: ast.FunctionDef) -> bool:
    """Return whether a layer is appended to a plain list that is an attribute of the module."""
    function = call.func
    if not isinstance(function, ast.Attribute) or function.attr != "append":
        return False
    if not _is_self_attribute(function.value) or not any(map(_makes_layer, call.args)):
        return False
    name = ast.unparse(function.value)
    return any(
        isinstance(item, ast.Assign | ast.AnnAssign)
        and isinstance(item.value, ast.List)
        and any(ast.unparse(target) == name for target in _targets(item))
        for item in ast.walk(init)
    )


def _goes_backwards(part: ast.Subscript) -> bool:
    parts = part.slice.elts if isinstance(part.slice, ast.Tuple) else [part.slice]
    return any(
        isinstance(item, ast.Slice)
        and isinstance(item.step, ast.UnaryOp)
        and isinstance(item.step.op, ast.USub)
        for item in parts
    )


def _is_next(call: ast.Call) -> bool:
    function = call.func
    is_bare = not call.args and not call.keywords
    return is_bare and isinstance(function, ast.Attribute) and function.attr == "next"


def _always_drops(call: ast.Call) -> bool:
    """Return whether a function drops values in evaluation too: its ``training`` is true unless it
    is told otherwise.
    """
    prefix, _, name = ast.unparse(call.func).rpartition(".")
    told = any(keyword.arg in ("training", None) for keyword in call.keywords)
    return f"{prefix}." in _FUNCTIONS and name in _DROPOUTS and len(call.args) < 3 and not told


def _lost_copies(function: ast.FunctionDef) -> Iterator[ast.AST]:
    """Find lines that copy an argument to a device or dtype and keep the original: only a module
    is moved in place.
    """
    given = {each.arg for each in function.args.args} - _MODEL_NAMES
    for part in ast.walk(function):
        if not isinstance(part, ast.Expr) or not isinstance(part.value, ast.Call):
            continue
        called = part.value.func
        if not isinstance(called, ast.Attribute) or called.attr not in _COPYING:
            continue
        if isinstance(called.value, ast.Name) and called.value.id in given:
            yield part
