"""Page of Inspect as a feature."""

from collections.abc import Callable, Iterator

from PySide6.QtWidgets import QWidget

from studio.command.command import Command
from studio.command.context import Context
from studio.command.feature import Feature, Page
from studio.view.rule import has_project
from studio.window.main_window import MainWindow


def inspect_page(
    name: str,
    *,
    title: str,
    tip: str,
    command: str,
    words: str,
    build: Callable[[Context], Iterator[QWidget]],
    build_beside: Callable[[Context], object] | None = None,
    more: tuple[Command, ...] = (),
) -> Feature:
    """Return the feature of a page, which ``build`` makes in short steps. ``title`` and ``tip``
    are sources for ``translate("Inspect")``, ``command`` is the title of the command that shows the
    page, with ``words`` to search for; ``build_beside`` makes what is there before the page.
    """
    show = Command(
        id=f"action.inspect.{name}",
        title=command,
        words=words,
        run=lambda context: context[MainWindow].show_page("inspect", name),
        is_enabled=has_project,
    )
    page = Page(name=name, area="Inspect", title=title, help=tip, build=build)
    return Feature(page=page, commands=(show, *more), build=build_beside)
