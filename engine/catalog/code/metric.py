"""Metrics of custom code: classes that inherit ``torchmetrics.Metric``, or a metric of it.

What comes from torchmetrics is known by the imports of the file; a class that another file of the
project defines by its name, which ends in ``Metric``.
"""

import ast
from collections.abc import Mapping

from engine.catalog.code.definition import ancestry

_LIBRARY = "torchmetrics"
_METRIC = "Metric"
_HIGHER = "higher_is_better"


def metric_modes(tree: ast.Module, classes: Mapping[str, ast.ClassDef]) -> dict[str, bool | None]:
    """Return the metrics of a file, each with whether its class says that higher is better
    (``higher_is_better``); None where it says nothing. ``classes`` are all of the file.
    """
    imported = _imported(tree)
    return {
        name: _higher_is_better(definition, classes)
        for name, definition in classes.items()
        if not name.startswith("_") and _is_metric(definition, classes, imported)
    }


def _is_metric(
    definition: ast.ClassDef, classes: Mapping[str, ast.ClassDef], imported: frozenset[str]
) -> bool:
    """Return whether a class, or one in its file that it inherits from, is a metric; ``imported``
    are the names that the file imports from torchmetrics.
    """
    bases = [base for parent in ancestry(definition, classes) for base in parent.bases]
    names = [ast.unparse(base) for base in bases]
    return any(name.endswith(_METRIC) or name.partition(".")[0] in imported for name in names)


def _imported(tree: ast.Module) -> frozenset[str]:
    found: set[str] = set()
    for part in ast.walk(tree):
        if isinstance(part, ast.ImportFrom):
            if (part.module or "").partition(".")[0] == _LIBRARY and not part.level:
                found |= {name.asname or name.name for name in part.names}
        elif isinstance(part, ast.Import):
            for name in part.names:
                if name.name.partition(".")[0] == _LIBRARY:
                    found.add(name.asname or _LIBRARY)
    return frozenset(found)


def _higher_is_better(definition: ast.ClassDef, classes: Mapping[str, ast.ClassDef]) -> bool | None:
    for parent in ancestry(definition, classes):
        for part in parent.body:
            if isinstance(part, ast.AnnAssign):
                targets = [part.target]
            elif isinstance(part, ast.Assign):
                targets = part.targets
            else:
                continue
            is_meant = any(isinstance(each, ast.Name) and each.id == _HIGHER for each in targets)
            value = part.value
            if is_meant and isinstance(value, ast.Constant) and isinstance(value.value, bool):
                return value.value
    return None
