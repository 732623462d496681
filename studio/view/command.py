"""Commands of one kind that several features contribute: showing a workspace or a dock."""

from studio.command.command import Command
from studio.view.rule import has_project
from studio.window.main_window import MainWindow


def workspace_command(name: str, title: str, *, keys: str, words: str) -> Command:
    """Return the command that shows a workspace."""
    return Command(
        id=f"action.view.{name}",
        title=title,
        keys=(keys,),
        words=words,
        group=1,
        run=lambda context: context[MainWindow].show_workspace(name),
        is_enabled=has_project,
    )


def dock_command(
    name: str, title: str, *, position: int, words: str, keys: tuple[str, ...] = ()
) -> Command:
    """Return the command that shows or hides a dock."""
    return Command(
        id=f"action.view.{name}",
        title=title,
        keys=keys,
        words=words,
        group=2,
        position=position,
        run=lambda context: context[MainWindow].toggle_dock(name),
        is_checked=lambda context: context[MainWindow].is_dock_shown(name),
    )
