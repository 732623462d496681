"""Pages of the Inspect workspace, in their order: the names of their folders."""

from collections.abc import Iterator
from importlib import import_module

from PySide6.QtWidgets import QWidget

from studio.inspect.feature import InspectFeature, PageContext
from studio.window.splitters import keep_splitters

ORDER = (
    "graph",
    "layers",
    "tensors",
    "debugger",
    "memory",
    "profile",
    "trace",
    "lab",
    "results",
    "playground",
    "surface",
    "landscape",
    "doctor",
)


def inspect_features() -> tuple[InspectFeature, ...]:
    """Return the pages in their order."""
    return tuple(import_module(f"studio.inspect.{name}.feature").FEATURE for name in ORDER)


def import_inspect_pages() -> None:
    """Import what the pages are made of; off Qt's thread, so that the window does not wait."""
    for name in ORDER:
        import_module(f"studio.inspect.{name}.controller")


def built(feature: InspectFeature, context: PageContext) -> Iterator[QWidget]:
    """Build a page in its steps; the handles between its parts come where the user had them."""
    steps = feature.build(context)
    widget = next(steps)
    yield widget
    yield from steps
    keep_splitters(widget, context.services.settings)
