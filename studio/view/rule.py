"""Rules that commands of several features share: what has to be there for them to be given."""

from studio.command.context import Context
from studio.session.session import Session
from studio.window.main_window import MainWindow
from widgets.canvas.canvas import Canvas


def has_project(context: Context) -> bool:
    """Return whether a project is open."""
    return context[Session].project is not None


def is_model(context: Context) -> bool:
    """Return whether the canvas of a project is seen."""
    return has_project(context) and context[MainWindow].workspace == "model"


def has_selection(context: Context) -> bool:
    """Return whether something on the canvas is selected: nodes, frames or notes."""
    return is_model(context) and bool(
        context[Session].selection or context[Canvas].selected_boxes()
    )


def has_nodes(context: Context) -> bool:
    """Return whether nodes on the canvas are selected."""
    return is_model(context) and bool(context[Session].selection)


def has_one_node(context: Context) -> bool:
    """Return whether one node on the canvas is selected."""
    return is_model(context) and len(context[Session].selection) == 1


def has_nodes_to_join(context: Context) -> bool:
    """Return whether at least two nodes on the canvas are selected."""
    return is_model(context) and len(context[Session].selection) > 1
