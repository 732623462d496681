"""The autograd graph in a file: the picture, or the graph itself for other programs."""

from pathlib import Path

from engine.runs.record.autograd_graph import AutogradGraph
from engine.runs.record.graph_text import graph_dot, graph_json
from studio.i18n import translate
from studio.window.dialog.file import save_dialog, write_file
from studio.window.notifications import Notifications
from widgets.canvas.picture_file import KINDS, scene_picture
from widgets.canvas.viewer import Viewer

_TEXTS = {"dot": graph_dot, "json": graph_json}


def export_graph(
    viewer: Viewer, captured: AutogradGraph, title: str, name: str, notifications: Notifications
) -> None:
    """Let the user choose a file; its ending says what is written into it: what is seen as a
    picture, or every Function and edge as text.
    """
    kinds = ("svg", *(kind for kind in KINDS if kind != "svg"), *_TEXTS)
    filters = [f"{kind.upper()} (*.{kind})" for kind in kinds]
    dialog = save_dialog(viewer, "save_graph", title, filters, f"{name}.svg")

    def take_kind(chosen: str) -> None:
        dialog.setDefaultSuffix(kinds[filters.index(chosen)])

    def take_file(file: str) -> None:
        path = Path(file)
        kind = path.suffix.removeprefix(".").lower()
        if kind in _TEXTS:
            write_file(path, _TEXTS[kind](captured), notifications)
        elif kind in KINDS:
            style = viewer.style_now()
            write_file(path, scene_picture(viewer.scene, style, kind, name), notifications)
        else:
            text = translate(
                "Autograd", "Choose a file name that ends in .svg, .png, .pdf, .dot or .json."
            )
            notifications.tell(text, "warning")

    dialog.filterSelected.connect(take_kind)
    dialog.fileSelected.connect(take_file)
    dialog.open()
