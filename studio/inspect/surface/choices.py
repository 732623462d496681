"""Choice of the plane of a decision surface: two columns or three samples, and which."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QComboBox, QSpinBox, QWidget

from engine.spec.plane import PlaneKind
from studio.i18n import translate
from studio.inspect.bar import bar_row
from studio.inspect.surface.samples import LETTERS
from widgets.common import parts

COLUMNS: PlaneKind = "columns"
SAMPLES: PlaneKind = "samples"


@dataclass(frozen=True, kw_only=True)
class ChoicesView:
    """What can be chosen: ``axes`` are the titles of the columns, of which ``chosen`` are two;
    ``samples`` are the numbers of those that the plane is laid through, none until they are known,
    of ``count`` that there are; ``outputs`` are the names of the numbers that the model answers
    with, where it has several; ``judged`` are the outputs (what each is called, and its title) that
    are compared with the data, of which the one that is ``shown`` answers.
    """

    kinds: tuple[PlaneKind, ...]
    kind: PlaneKind
    axes: tuple[str, ...] = ()
    chosen: tuple[int, int] = (0, 1)
    samples: tuple[int, ...] = ()
    count: int = 0
    outputs: tuple[str, ...] = ()
    output: int = 0
    judged: tuple[tuple[str, str], ...] = ()
    shown: str = ""


class PlaneChoices(QWidget):
    """Row in which the plane is chosen. ``sample_chosen`` carries which of the samples it is, and
    its new number.
    """

    kind_chosen = Signal(str)
    axes_chosen = Signal(int, int)
    sample_chosen = Signal(int, int)
    next_requested = Signal()
    output_chosen = Signal(int)
    judged_chosen = Signal(str)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        parts.named(self, "surface.choices", translate("Surface", "Plane of the surface"))
        self._build_combos()
        self.samples = tuple(self._sample(slot) for slot in range(len(LETTERS)))
        self.next = parts.button(self, "surface.next", icon="refresh", clicked=self.next_requested)
        self.next.setAccessibleName(translate("Surface", "Next sample"))
        items = (
            self.kind,
            self.across,
            self._by,
            self.upward,
            *self.samples,
            self.next,
            None,
            self.judged,
            self.output,
        )
        bar_row(*items, parent=self)

    def set_view(self, view: ChoicesView) -> None:
        """Show what is chosen, and what else can be."""
        is_of_columns = view.kind == COLUMNS
        titles = {
            COLUMNS: translate("Surface", "Two columns"),
            SAMPLES: translate("Surface", "Three samples"),
        }
        parts.set_choices(self.kind, [(kind, titles[kind]) for kind in view.kinds], view.kind)
        self.kind.setEnabled(len(view.kinds) > 1)
        axes = [(str(number), title) for number, title in enumerate(view.axes)]
        for combo, chosen in zip((self.across, self.upward), view.chosen, strict=True):
            parts.set_choices(combo, axes, str(chosen))
            combo.setVisible(is_of_columns)
        self._by.setVisible(is_of_columns)
        self._show_samples(view)
        outputs = [(str(number), title) for number, title in enumerate(view.outputs)]
        parts.set_choices(self.output, outputs, str(view.output))
        self.output.setVisible(len(outputs) > 1)
        parts.set_choices(self.judged, view.judged, view.shown)
        self.judged.setVisible(len(view.judged) > 1)

    def _show_samples(self, view: ChoicesView) -> None:
        is_of_columns = view.kind == COLUMNS
        has_fixed = not is_of_columns or len(view.axes) > len(view.chosen) or bool(view.samples)
        for slot, box in enumerate(self.samples):
            box.setVisible(has_fixed and (slot == 0 or not is_of_columns))
            with QSignalBlocker(box):
                prefix = translate("Surface", "Sample") if is_of_columns else LETTERS[slot]
                box.setPrefix(f"{prefix} ")
                box.setMaximum(max(view.count - 1, 0))
                if slot < len(view.samples):
                    box.setValue(view.samples[slot])
            box.setEnabled(slot < len(view.samples))
        self.next.setVisible(has_fixed)
        self.next.setEnabled(bool(view.samples))
        text, tip = (
            (
                translate("Surface", "Next sample"),
                translate("Surface", "Hold the other inputs at those of the next sample"),
            )
            if is_of_columns
            else (
                translate("Surface", "Another three"),
                translate("Surface", "Draw three other samples, of different classes"),
            )
        )
        self.next.setText(text)
        self.next.setAccessibleName(text)
        self.next.setToolTip(tip)

    def _build_combos(self) -> None:
        self.kind = self._combo(
            "kind",
            translate("Surface", "Plane"),
            translate("Surface", "What the plane is laid through: columns of numbers or samples"),
        )
        self.kind.activated.connect(self._tell_kind)
        self.across = self._combo("x", translate("Surface", "Column across"))
        self.upward = self._combo("y", translate("Surface", "Column upward"))
        self._by = parts.label(self, text="×", role="muted")
        for combo in (self.across, self.upward):
            combo.activated.connect(self._tell_axes)
        self.judged = self._combo(
            "judged",
            translate("Surface", "Output of the model"),
            translate(
                "Surface",
                "Which of the outputs that the loss compares with the data answers on the plane",
            ),
        )
        self.judged.activated.connect(self._tell_judged)
        self.output = self._combo("output", translate("Surface", "Output shown"))
        self.output.activated.connect(self._tell_output)

    def _sample(self, slot: int) -> QSpinBox:
        box = parts.named(
            QSpinBox(self),
            f"surface.sample_{LETTERS[slot].lower()}",
            translate("Surface", "Number of sample {letter}").format(letter=LETTERS[slot]),
            translate("Surface", "Number of a sample, as on the Samples page"),
        )
        box.setKeyboardTracking(False)
        box.valueChanged.connect(self._tell_sample)
        return box

    def _tell_kind(self) -> None:
        self.kind_chosen.emit(self.kind.currentData())

    def _tell_axes(self) -> None:
        self.axes_chosen.emit(int(self.across.currentData()), int(self.upward.currentData()))

    def _tell_judged(self) -> None:
        self.judged_chosen.emit(self.judged.currentData())

    def _tell_output(self) -> None:
        self.output_chosen.emit(int(self.output.currentData()))

    def _tell_sample(self, number: int) -> None:
        boxes: Sequence[object] = self.samples
        self.sample_chosen.emit(boxes.index(self.sender()), number)

    def _combo(self, name: str, title: str, tip: str = "") -> QComboBox:
        combo = parts.combo(self, f"surface.{name}", title, tip)
        combo.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        combo.setMaximumWidth(190)
        return combo
