"""Second check of the code written for an imported file, before it may run: whatever slipped
through where it was written, nothing but calls of offered operations is in it.
"""

import ast
from collections.abc import Mapping

from engine.catalog.aten import is_offered

_FORMS = (
    *(ast.Module, ast.FunctionDef, ast.arguments, ast.arg, ast.Return, ast.Assign, ast.Expr),
    *(ast.Import, ast.ImportFrom, ast.alias, ast.Call, ast.keyword, ast.Attribute, ast.Name),
    *(ast.Constant, ast.Subscript, ast.Slice, ast.Tuple, ast.List, ast.Load, ast.Store),
    *(ast.BinOp, ast.Mult, ast.FloorDiv, ast.UnaryOp, ast.USub),
)
_IMPORTS = frozenset(
    ("import torch", "import torch.nn.functional as F", "from torch import Tensor, nn")
)
_CALLS = frozenset(("float", "torch.arange", "torch.full", "torch.tensor"))
_OPERATION = ("torch", "ops", "aten")
_RESERVED = frozenset(("torch", "nn", "F", "Tensor", "float"))
"""Names that mean what the imports say: another meaning of one would make its calls others."""
_SHOWN = 80


def disallowed_syntax(code: Mapping[str, str]) -> str:
    """Return what code has beside calls of offered operations; nothing where that is all.

    It is code of a program of ``torch.export``: functions of tensors, without classes and branches.
    """
    for text in code.values():
        try:
            tree = ast.parse(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            return type(error).__name__
        for node in ast.walk(tree):
            if not isinstance(node, _FORMS) or not _is_plain(node):
                return ast.unparse(node)[:_SHOWN]
    return ""


def _is_plain(node: ast.AST) -> bool:  # noqa: PLR0911 - one case a form
    match node:
        case ast.Import() | ast.ImportFrom():
            return ast.unparse(node) in _IMPORTS
        case ast.FunctionDef():
            is_bare = not node.decorator_list and not node.args.defaults
            return is_bare and node.name not in _RESERVED
        case ast.arg():
            return node.arg not in _RESERVED
        case ast.Call():
            return _is_offered_call(node)
        case ast.Attribute():
            is_read = isinstance(node.ctx, ast.Load)
            return is_read and (not node.attr.startswith("_") or is_offered(node.attr))
        case ast.Subscript():
            return isinstance(node.ctx, ast.Load)
        case ast.Name():
            is_read = isinstance(node.ctx, ast.Load)
            return not node.id.startswith("__") and (is_read or node.id not in _RESERVED)
        case _:
            return True


def _is_offered_call(node: ast.Call) -> bool:
    called = ast.unparse(node.func)
    parts = tuple(called.split("."))
    if parts[:3] == _OPERATION:
        return len(parts) == 5 and is_offered(parts[3])
    is_view = isinstance(node.func, ast.Attribute) and node.func.attr == "view"
    return called in _CALLS or is_view
