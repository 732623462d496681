"""The bar of the lab that runs backward."""

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from studio.i18n import translate
from widgets.common import parts
from widgets.common.plain_label import PlainLabel


class BackwardBar(QWidget):
    """Chooses the root, the external gradient and what becomes of graph and gradients."""

    backward_requested = Signal()
    root_chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        parts.named(self, "lab.backwardBar", translate("Lab", "Backward"))
        self.root = parts.combo(
            self,
            "lab.root",
            translate("Lab", "Root of the graph"),
            translate("Lab", "The tensor where backward starts and whose graph is shown"),
        )
        self.root.setMinimumContentsLength(6)
        self.root.activated.connect(lambda _: self.root_chosen.emit(self.root.currentText()))
        self.gradient = parts.line_edit(
            self,
            "lab.gradient",
            translate("Lab", "External gradient"),
            placeholder=translate("Lab", "gradient, e.g. [1., 2.]"),
            tip=translate(
                "Lab",
                "The vector v of the vector-Jacobian product. Required if the root is not "
                "a scalar; must have the shape of the root.",
            ),
        )
        self.gradient.returnPressed.connect(self.backward_requested)
        self.retain = parts.check_box(
            self,
            "lab.retain",
            translate("Lab", "Keep graph"),
            translate("Lab", "retain_graph=True: keep the saved tensors for another backward pass"),
        )
        self.gradients = parts.combo(
            self,
            "lab.gradients",
            translate("Lab", "Existing gradients"),
            translate("Lab", "Add to the existing gradients, or set them to None first"),
        )
        self.gradients.addItem(translate("Lab", "Accumulate"))
        self.gradients.addItem(translate("Lab", "Zero first"))
        self.backward = parts.button(
            self,
            "lab.backward",
            translate("Lab", "Run backward"),
            tip=translate("Lab", "Call backward() on the root"),
            clicked=self.backward_requested,
        )
        label = PlainLabel(translate("Lab", "Backward from"), self)
        items = (label, self.root, (self.gradient, 1), self.retain, self.gradients, self.backward)
        parts.row(*items, margins=(4, 8, 12, 2), spacing=8, parent=self)

    @property
    def is_accumulating(self) -> bool:
        """Whether gradients are added to those that are there."""
        return self.gradients.currentIndex() == 0

    def set_roots(self, names: Sequence[str], chosen: str) -> None:
        """Offer roots, with one chosen."""
        parts.set_choices(self.root, [(name, name) for name in names], chosen)

    def set_enabled(self, *, is_enabled: bool) -> None:
        """Let backward be run, where there is a graph and nothing runs."""
        self.backward.setEnabled(is_enabled and self.root.count() > 0)
