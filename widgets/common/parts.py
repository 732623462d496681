"""Parts that views are put together from: widgets with an object name for scripts, an accessible
name for people and a tooltip, and the layouts that arrange them.

Views import the module (``parts.button``), so that a variable may be called ``button``. Those of
:mod:`widgets` that are named anew in another language leave out the accessible name and set it in
``retranslate``.
"""

from collections.abc import Callable, Sequence
from typing import TypeVar

from PySide6.QtCore import QSignalBlocker, Qt, SignalInstance
from PySide6.QtWidgets import (
    QBoxLayout,
    QCheckBox,
    QComboBox,
    QHBoxLayout,
    QLayout,
    QLineEdit,
    QProgressBar,
    QPushButton,
    QSplitter,
    QToolButton,
    QTreeWidget,
    QVBoxLayout,
    QWidget,
)

from widgets.common.combo_box import ComboBox
from widgets.common.icons import set_icon
from widgets.common.plain_label import PlainLabel
from widgets.common.text import plain_tip
from widgets.common.theme import mono_font

Slot = Callable[..., object] | SignalInstance
Item = QWidget | QLayout | tuple[QWidget | QLayout, int] | None
"""What a layout takes: a widget or layout, one with its stretch factor, or None for a stretch."""

_Widget = TypeVar("_Widget", bound=QWidget)


def named(widget: _Widget, name: str, accessible: str, tip: str = "") -> _Widget:
    """Return ``widget`` with its object name, accessible name and a tooltip of plain text."""
    widget.setObjectName(name)
    widget.setAccessibleName(accessible)
    if tip:
        widget.setToolTip(plain_tip(tip))
    return widget


def button(
    parent: QWidget,
    name: str,
    text: str = "",
    *,
    icon: str = "",
    role: str = "text",
    tip: str = "",
    is_primary: bool = False,
    clicked: Slot | None = None,
) -> QPushButton:
    """Return a button that Enter does not press from a field beside it; a primary one is filled
    with the accent.
    """
    result = named(QPushButton(text, parent), name, text, tip)
    result.setAutoDefault(False)
    if is_primary:
        result.setProperty("primary", "true")
    if icon:
        set_icon(result, icon, "on_accent" if is_primary else role)
    if clicked is not None:
        result.clicked.connect(clicked)
    return result


def tool_button(
    parent: QWidget,
    name: str,
    accessible: str = "",
    *,
    icon: str = "",
    role: str = "muted",
    tip: str = "",
    clicked: Slot | None = None,
) -> QToolButton:
    """Return a button with an icon; its tooltip is its accessible name unless ``tip`` says more."""
    result = named(QToolButton(parent), name, accessible, tip or accessible)
    if icon:
        set_icon(result, icon, role)
    if clicked is not None:
        result.clicked.connect(clicked)
    return result


def label(
    parent: QWidget,
    name: str = "",
    accessible: str = "",
    text: str = "",
    *,
    role: str = "",
    wraps: bool = False,
) -> PlainLabel:
    """Return a label of plain text; ``role`` is the property that the style sheet colours by.

    Without an accessible name the label is called what it says.
    """
    result = named(PlainLabel(text, parent), name, accessible or text)
    if role:
        result.setProperty("role", role)
    result.setWordWrap(wraps)
    return result


def fact(parent: QWidget, name: str, title: str, text: str) -> tuple[PlainLabel, PlainLabel]:
    """Return the labels of a fact: what it is about, and what is so, which can be copied."""
    about = label(parent, f"{name}.name", f"{title} {text}", title, role="muted")
    value = label(parent, f"{name}.value", f"{title} {text}", text)
    value.setFont(mono_font())
    value.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return about, value


def combo(parent: QWidget, name: str, accessible: str = "", tip: str = "") -> ComboBox:
    """Return an empty combo box; its tooltip is its accessible name unless ``tip`` says more."""
    return named(ComboBox(parent), name, accessible, tip or accessible)


def set_choices(combo: QComboBox, choices: Sequence[tuple[str, str]], chosen: str) -> None:
    """Offer choices (data and text) with one of them chosen, without a signal; those that are there
    already are not made anew.
    """
    present = [(combo.itemData(index), combo.itemText(index)) for index in range(combo.count())]
    with QSignalBlocker(combo):
        if present != list(choices):
            combo.clear()
            for data, text in choices:
                combo.addItem(text, data)
        combo.setCurrentIndex(combo.findData(chosen))


def check_box(parent: QWidget, name: str, text: str, tip: str = "") -> QCheckBox:
    """Return a check box that is called what it says."""
    return named(QCheckBox(text, parent), name, text, tip)


def line_edit(
    parent: QWidget,
    name: str,
    accessible: str = "",
    text: str = "",
    *,
    placeholder: str = "",
    tip: str = "",
    is_clearable: bool = False,
) -> QLineEdit:
    """Return a line of text to type in."""
    result = named(QLineEdit(text, parent), name, accessible, tip)
    result.setPlaceholderText(placeholder)
    result.setClearButtonEnabled(is_clearable)
    return result


def progress_bar(parent: QWidget, name: str, accessible: str = "") -> QProgressBar:
    """Return a thin progress bar without text; what stands beside it says how far it is."""
    result = named(QProgressBar(parent), name, accessible)
    result.setTextVisible(False)
    result.setFixedHeight(6)
    return result


def splitter(
    parent: QWidget, name: str, accessible: str, *, is_vertical: bool = False
) -> QSplitter:
    """Return a splitter none of whose sides can be pushed away."""
    orientation = Qt.Orientation.Vertical if is_vertical else Qt.Orientation.Horizontal
    result = named(QSplitter(orientation, parent), name, accessible)
    result.setChildrenCollapsible(False)
    return result


def tree_table(
    parent: QWidget, name: str, accessible: str, titles: Sequence[str] = (), tip: str = ""
) -> QTreeWidget:
    """Return a table of equally high rows, without levels at first."""
    result = named(QTreeWidget(parent), name, accessible, tip)
    result.setHeaderLabels(list(titles))
    result.setRootIsDecorated(False)
    result.setUniformRowHeights(True)
    return result


Margins = tuple[int, int, int, int]


def row(
    *items: Item,
    margins: Margins | None = None,
    spacing: int | None = None,
    parent: QWidget | None = None,
) -> QHBoxLayout:
    """Return items side by side, as the layout of ``parent`` if there is one."""
    result = QHBoxLayout()
    _fill(result, items, margins, spacing, parent)
    return result


def column(
    *items: Item,
    margins: Margins | None = None,
    spacing: int | None = None,
    parent: QWidget | None = None,
) -> QVBoxLayout:
    """Return items one below the other, as the layout of ``parent`` if there is one."""
    result = QVBoxLayout()
    _fill(result, items, margins, spacing, parent)
    return result


def _fill(
    layout: QBoxLayout,
    items: tuple[Item, ...],
    margins: Margins | None,
    spacing: int | None,
    parent: QWidget | None,
) -> None:
    if parent is not None:
        parent.setLayout(layout)
    if margins is not None:
        layout.setContentsMargins(*margins)
    if spacing is not None:
        layout.setSpacing(spacing)
    for item in items:
        if item is None:
            layout.addStretch(1)
            continue
        part, stretch = item if isinstance(item, tuple) else (item, 0)
        if isinstance(part, QWidget):
            layout.addWidget(part, stretch)
        else:
            layout.addLayout(part, stretch)
