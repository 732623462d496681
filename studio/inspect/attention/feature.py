"""Feature of the Attention page of Inspect."""

from collections.abc import Iterator

from PySide6.QtWidgets import QWidget

from studio.command.context import Context
from studio.i18n import QT_TRANSLATE_NOOP
from studio.inspect.page import inspect_page
from studio.services import Services
from studio.window.paged import in_steps


def _build(context: Context) -> Iterator[QWidget]:
    from studio.inspect.attention.controller import AttentionController
    from studio.inspect.attention.page import AttentionPage

    page = AttentionPage()
    yield from in_steps(page)
    context.add(AttentionController(context[Services], page))


FEATURE = inspect_page(
    "attention",
    title=QT_TRANSLATE_NOOP("Inspect", "Attention"),
    tip=QT_TRANSLATE_NOOP("Inspect", "Where each head looks in your own text, token by token"),
    command=QT_TRANSLATE_NOOP("Action", "Attention maps"),
    words="attention heads tokens transformer gpt weights matrix map causal mask prompt",
    build=_build,
)
