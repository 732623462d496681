"""Transforms page: a sample through each step above, the list and the settings below."""

from collections.abc import Iterator, Sequence

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QFrame, QMenu, QPushButton, QToolButton, QWidget

from studio.data.transforms.presenter import TransformsView
from studio.data.transforms.step_list import StepList, verbs
from studio.i18n import translate
from studio.view.part_combo import part_combo
from studio.window.page import PageWidget
from widgets.common import parts
from widgets.common.progress import ProgressPanel
from widgets.forms.form import FormWidget
from widgets.images.stage_strip import StageStrip

_ICONS = {
    "up": "chevron-up",
    "down": "chevron-down",
    "into": "chevron-right",
    "out": "chevron-left",
    "duplicate": "duplicate",
    "remove": "delete",
}


class TransformsPage(PageWidget):
    """``asked`` carries the name of a button: what to do with the list, or with the sample."""

    asked = Signal(str)
    part_changed = Signal(str)
    cancel_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("data.page.transforms", translate("Transforms", "Transforms"), parent)
        self._buttons: dict[str, QPushButton | QToolButton] = {}

    def build(self) -> Iterator[None]:
        """Put the page together, in short steps."""
        column = self.add_column()
        halves = parts.splitter(
            self,
            "transforms.halves",
            translate("Transforms", "Sample and transforms"),
            is_vertical=True,
        )
        column.addWidget(halves, 1)
        self._build_sample(halves)
        yield
        below = parts.splitter(
            halves, "transforms.splitter", translate("Transforms", "Transforms and settings")
        )
        self._build_list(below)
        yield
        self._build_settings(below)
        below.setSizes([520, 400])
        halves.setSizes([300, 320])
        yield
        self.add_empty(
            column,
            "image",
            "transforms.empty",
            translate("Transforms", "No images"),
            instead_of=(halves,),
        )
        self._add_keys()

    def set_view(self, view: TransformsView) -> None:
        """Show transforms, a sample on its way through them, and the settings of the chosen one."""
        self.set_empty(view.empty)
        self.list.set_rows(view.rows, view.chosen)
        self.form.set_view(view.form)
        self.strip.set_stages(view.stages, view.stage, is_sequence=view.is_sequence)
        self._sample.setText(view.sample)
        self._words.setText(view.words)
        self._words.setVisible(bool(view.words))
        self.fill.setVisible(view.can_fill and view.progress is None)
        self.progress.setVisible(view.progress is not None)
        if view.progress is not None:
            self.progress.set_view(view.progress)
        for name in ("draw", "previous", "next", *_ICONS):
            self._buttons[name].setEnabled(name in view.possible)

    def set_part(self, part: str) -> None:
        """Show which part is looked at."""
        with QSignalBlocker(self._part):
            self._part.setCurrentIndex(self._part.findData(part))

    def set_presets(self, presets: Sequence[tuple[str, str]]) -> None:
        """Offer presets: the name that ``asked`` carries, and what it is called."""
        menu = self._presets
        menu.clear()
        for name, title in presets:
            action = menu.addAction(title, lambda name=name: self.asked.emit(name))
            action.setObjectName(f"transforms.preset.{name}")

    def _build_sample(self, parent: QWidget) -> None:
        top = parts.named(QWidget(parent), "transforms.top", translate("Transforms", "Sample"))
        self._part = part_combo(
            top,
            "transforms.part",
            translate("Transforms", "Part"),
            translate("Transforms", "The part of the data whose transforms are shown"),
            self.part_changed.emit,
        )
        previous = self._tool(
            top, "previous", "chevron-left", translate("Transforms", "Previous sample (P)")
        )
        following = self._tool(
            top, "next", "chevron-right", translate("Transforms", "Next sample (N)")
        )
        self._sample = parts.label(top, "transforms.sample", translate("Transforms", "Sample"))
        draw = parts.button(
            top,
            "transforms.draw",
            translate("Transforms", "New draw"),
            icon="refresh",
            tip=translate("Transforms", "Draw other random numbers, as in another epoch (R)"),
            clicked=lambda: self.asked.emit("draw"),
        )
        self._buttons["draw"] = draw
        bar = parts.row(
            self._part, previous, following, (self._sample, 1), draw,
            margins=(12, 10, 12, 4), spacing=8,
        )  # fmt: skip
        self._words = parts.label(
            top,
            "transforms.words",
            translate("Transforms", "What applies"),
            role="muted",
            wraps=True,
        )
        self._words.setContentsMargins(12, 0, 12, 2)
        self.strip = StageStrip("transforms.strip", top)
        self.strip.setAccessibleName(translate("Transforms", "Sample after each transform"))
        parts.column(bar, self._words, (self.strip, 1), margins=(0, 0, 0, 0), spacing=2, parent=top)

    def _build_list(self, parent: QWidget) -> None:
        left = parts.named(
            QWidget(parent), "transforms.left", translate("Transforms", "Transforms")
        )
        add = parts.button(
            left,
            "transforms.add",
            translate("Transforms", "Add…"),
            icon="add",
            tip=translate("Transforms", "Add one of torchvision's transforms (Ins)"),
            is_primary=True,
            clicked=lambda: self.asked.emit("add"),
        )
        presets = parts.button(
            left,
            "transforms.presets",
            translate("Transforms", "Presets"),
            tip=translate("Transforms", "Usual lists of transforms, and usual values of Normalize"),
        )
        self._presets = QMenu(presets)
        self._presets.setObjectName("transforms.presets.menu")
        presets.setMenu(self._presets)
        self.list = StepList(left)
        self.list.asked.connect(self.asked)
        tools = [self._tool(left, verb, _ICONS[verb], title) for verb, title in verbs()]
        bar = parts.row(add, presets, None, *tools, margins=(12, 6, 8, 6), spacing=6)
        parts.column(bar, (self.list, 1), margins=(0, 0, 0, 0), spacing=0, parent=left)

    def _build_settings(self, parent: QWidget) -> None:
        right = parts.named(
            QWidget(parent), "transforms.right", translate("Transforms", "Settings")
        )
        self.form = parts.named(
            FormWidget(right), "transforms.form", translate("Transforms", "Settings")
        )
        self.form.setFrameShape(QFrame.Shape.NoFrame)
        self.fill = parts.button(
            right,
            "transforms.fill",
            translate("Transforms", "Use the values of this data"),
            icon="wand",
            tip=translate(
                "Transforms",
                "Compute mean and standard deviation of each channel over the training part, "
                "after the transforms that apply to all parts",
            ),
            clicked=lambda: self.asked.emit("measure"),
        )
        self.progress = ProgressPanel("transforms.progress", right)
        self.progress.cancel_requested.connect(self.cancel_requested)
        below = parts.column(
            parts.row(self.fill, None), self.progress, margins=(12, 4, 12, 10), spacing=6
        )
        parts.column((self.form, 1), below, margins=(0, 0, 0, 0), spacing=0, parent=right)

    def _tool(self, parent: QWidget, name: str, icon: str, title: str) -> QToolButton:
        button = parts.tool_button(
            parent,
            f"transforms.{name}",
            title,
            icon=icon,
            clicked=lambda: self.asked.emit(name),
        )
        self._buttons[name] = button
        return button

    def _add_keys(self) -> None:
        for keys, name in (("R", "draw"), ("P", "previous"), ("N", "next"), ("Ins", "add")):
            shortcut = QShortcut(QKeySequence(keys), self)  # of the window, while this page is seen
            shortcut.activated.connect(lambda name=name: self._press(name))

    def _press(self, name: str) -> None:
        button = self._buttons.get(name)
        if button is None or button.isEnabled():
            self.asked.emit(name)
