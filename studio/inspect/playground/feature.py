"""Feature of the Playground page of Inspect."""

from collections.abc import Iterator
from functools import partial

from PySide6.QtWidgets import QWidget

from studio.command.command import Command
from studio.command.context import Context
from studio.data.samples.feature import SAMPLE_GROUP, selected_samples
from studio.i18n import QT_TRANSLATE_NOOP
from studio.inspect.page import inspect_page
from studio.services import Services
from studio.window.main_window import MainWindow
from studio.window.paged import in_steps


def _build(context: Context) -> Iterator[QWidget]:
    from studio.inspect.playground.controller import PlaygroundController
    from studio.inspect.playground.page import PlaygroundPage

    page = PlaygroundPage()
    yield from in_steps(page)
    controller = context.add(PlaygroundController(context[Services], page))
    controller.attention_requested.connect(partial(_show_attention, context))


def _show_attention(context: Context, text: str) -> None:
    """Show where the model looks in a text."""
    from studio.inspect.attention.controller import AttentionController

    context[MainWindow].show_page("inspect", "attention")
    context[AttentionController].open_text(text)


def _open_sample(context: Context) -> None:
    """Put the selected sample of the data into the playground."""
    from studio.inspect.playground.controller import PlaygroundController

    (sample,) = selected_samples(context)
    context[MainWindow].show_page("inspect", "playground")
    context[PlaygroundController].open_sample(sample)


def _has_one_sample(context: Context) -> bool:
    return len(selected_samples(context)) == 1


FEATURE = inspect_page(
    "playground",
    title=QT_TRANSLATE_NOOP("Inspect", "Playground"),
    tip=QT_TRANSLATE_NOOP("Inspect", "Try a trained model on your own input"),
    command=QT_TRANSLATE_NOOP("Action", "Playground"),
    words="try draw digit predict picture input",
    build=_build,
    more=(
        Command(
            id="action.data.playground",
            title=QT_TRANSLATE_NOOP("Action", "Open sample in the playground"),
            keys=("Ctrl+Shift+P",),
            words="try predict selected sample model answer",
            group=SAMPLE_GROUP,
            run=_open_sample,
            is_enabled=_has_one_sample,
        ),
    ),
)
