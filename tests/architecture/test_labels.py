"""Texts of strangers in the window: shown as they were written, never as HTML."""

import ast
import re
from pathlib import Path

from PySide6.QtCore import Qt

from widgets.common.plain_label import PlainLabel

ROOT = Path(__file__).parents[2]
RICH = {"plain_label.py", "phrase_preview.py"}  # the second escapes what it shows


def test_that_no_label_takes_a_text_for_html():
    bare = [
        path.relative_to(ROOT).as_posix()
        for folder in ("studio", "widgets")
        for path in (ROOT / folder).rglob("*.py")
        if path.name not in RICH and re.search(r"(?<![\w.])QLabel\(", path.read_text("utf-8"))
    ]
    assert bare == []


def test_that_a_label_of_a_strangers_text_loads_nothing(qapp):
    evil = '<img src="file:///etc/hostname" width="500" height="500">'
    label = PlainLabel(evil)
    assert label.textFormat() is Qt.TextFormat.PlainText
    label.setText(evil)
    assert label.sizeHint().height() < 100
    label.deleteLater()


def test_that_no_tooltip_takes_what_a_view_tells_for_html():
    """A tooltip guesses: a name such as ``<img src=...>`` would be loaded when the mouse rests."""
    bare = []
    for folder in ("studio", "widgets"):
        for path in (ROOT / folder).rglob("*.py"):
            text = path.read_text("utf-8")
            for node in ast.walk(ast.parse(text)) if "setToolTip" in text else ():
                called = getattr(getattr(node, "func", None), "attr", "")
                if (
                    isinstance(node, ast.Call)
                    and called == "setToolTip"
                    and _is_told(node.args[-1])
                ):
                    bare.append(f"{path.relative_to(ROOT).as_posix()}:{node.lineno}")
    assert bare == []


def _is_told(text: ast.expr) -> bool:
    """Return whether a text is one of a view, a path or a table of texts as it stands there."""
    if isinstance(text, ast.IfExp):
        return _is_told(text.body) or _is_told(text.orelse)
    if isinstance(text, ast.Call):
        name = getattr(text.func, "id", getattr(text.func, "attr", ""))
        return name in {"str", "get", "join", "text"}
    return isinstance(text, ast.Attribute)
