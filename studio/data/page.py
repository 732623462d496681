"""Page of the Data workspace as a feature."""

from collections.abc import Callable, Iterator

from PySide6.QtWidgets import QWidget

from studio.command.command import Command
from studio.command.context import Context
from studio.command.feature import Feature, Page
from studio.view.rule import has_project
from studio.window.main_window import MainWindow


def data_page(
    name: str,
    *,
    title: str,
    tip: str,
    command: str,
    words: str,
    build: Callable[[Context], Iterator[QWidget]],
    more: tuple[Command, ...] = (),
) -> Feature:
    """Return the feature of a page, which ``build`` makes in short steps. ``title`` and ``tip``
    are sources for ``translate("Data")``, ``command`` is the title of the command that shows the
    page, with ``words`` to search for.
    """
    show = Command(
        id=f"action.data.{name}",
        title=command,
        words=words,
        run=lambda context: context[MainWindow].show_page("data", name),
        is_enabled=has_project,
    )
    page = Page(name=name, area="Data", title=title, help=tip, build=build)
    return Feature(page=page, commands=(show, *more))
