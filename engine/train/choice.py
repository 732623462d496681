"""Classes and arguments that choices in a document stand for, by way of the catalogue only.

A document never names something to import: a key that the catalogue does not hold is refused.
"""

from types import ModuleType

from engine.catalog.registry import catalog
from engine.catalog.spec import AUTO, EntryGroup, Value
from engine.diagnostics import DiagnosticError
from engine.spec.run import Choice


def chosen_class(group: EntryGroup, choice: Choice, namespace: ModuleType) -> type:
    """Return the class that a choice means.

    Raises :class:`DiagnosticError` R110 when the catalogue or this torch does not have it.
    """
    is_listed = catalog().entry(group, choice.type) is not None
    chosen = getattr(namespace, choice.type, None) if is_listed else None
    if not isinstance(chosen, type):
        raise DiagnosticError.of("R110", kind=group.value, name=choice.type)
    return chosen


def arguments(group: EntryGroup, choice: Choice) -> dict[str, Value]:
    """Return all parameters of a choice: the given ones and the catalogue's defaults."""
    entry = catalog().entry(group, choice.type)
    if entry is None:
        return dict(choice.params)
    defaults: dict[str, Value] = {
        param.name: AUTO if param.required else param.default
        for param in entry.params
        if param.auto or not param.required
    }
    return defaults | choice.params
