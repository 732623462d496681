"""Parameters of an own layer, as far as its ``__init__`` shows them: of which can be said how they
begin.
"""

import ast

from engine.catalog.registry import catalog
from engine.catalog.spec import EntryGroup, WeightMatch, WeightSpec

_FILLED = frozenset({"zeros", "ones", "empty", "rand", "randn", "full"})
_PARAMETERS = frozenset({"nn.Parameter", "torch.nn.Parameter", "Parameter"})


def weights_of_init(init: ast.FunctionDef) -> tuple[WeightSpec, ...]:
    """Return the parameters that ``__init__`` makes in any case: ``self.weight = nn.Parameter(…)``
    of a tensor whose sizes are listed, and those of the layers of ``torch.nn`` that it makes.
    """
    found: list[WeightSpec] = []
    for part in init.body:
        match part:
            case ast.Assign(
                targets=[ast.Attribute(value=ast.Name(id="self"), attr=name)],
                value=ast.Call() as made,
            ):
                found += _made(name, made)
            case _:
                continue
    return tuple(found)


def _made(name: str, made: ast.Call) -> list[WeightSpec]:
    called = ast.unparse(made.func)
    if called in _PARAMETERS and made.args:
        rank = _rank(made.args[0])
        return [] if rank is None else [WeightSpec(name=name, rank=rank)]
    if not called.startswith(("nn.", "torch.nn.")):
        return []
    entry = catalog().entry(EntryGroup.LAYER, called.rpartition(".")[2])
    return [
        WeightSpec(name=f"{name}.{weight.name}", rank=weight.rank)
        for weight in (() if entry is None else entry.weights)
        if weight.match is WeightMatch.ONE and not weight.when
    ]


def _rank(tensor: ast.expr) -> int | None:
    """Return how many axes a tensor has; None where the source does not show it."""
    if isinstance(tensor, ast.BinOp):  # torch.randn(a, b) * a**-0.5
        return _rank(tensor.left) if isinstance(tensor.left, ast.Call) else _rank(tensor.right)
    if not isinstance(tensor, ast.Call):
        return None
    function = ast.unparse(tensor.func)
    if not function.startswith("torch.") or function.removeprefix("torch.") not in _FILLED:
        return None
    if len(tensor.args) and isinstance(tensor.args[0], ast.Tuple | ast.List):
        return len(tensor.args[0].elts)
    has_star = any(isinstance(item, ast.Starred) for item in tensor.args)
    is_full = function == "torch.full"
    return None if has_star or is_full or not tensor.args else len(tensor.args)
