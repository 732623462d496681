"""Packages that exported code needs, by the names that installers know."""

import ast
import sys
from collections.abc import Iterable, Mapping
from importlib import metadata

_INSTALLED: Mapping[str, str] = {"PIL": "pillow", "sklearn": "scikit-learn", "yaml": "pyyaml"}


def needed_packages(texts: Iterable[str]) -> tuple[str, ...]:
    """Return the packages that Python files import and that Python does not bring: PyTorch first,
    then the others in order.
    """
    roots = {root for text in texts for root in _imported(ast.parse(text))}
    found = {_INSTALLED.get(root, root) for root in roots - set(sys.stdlib_module_names)}
    return ("torch", *sorted(found - {"torch"}))


def version_of_package(package: str) -> str:
    """Return the version that is installed here, without its local part; nothing where none is."""
    try:
        return metadata.version(package).partition("+")[0]
    except metadata.PackageNotFoundError:
        return ""


def _imported(tree: ast.Module) -> Iterable[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module.partition(".")[0]
