"""The bar of the lab that runs backward."""

from collections.abc import Sequence

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QWidget,
)

from studio.i18n import translate
from widgets.common.plain_label import PlainLabel


class BackwardBar(QWidget):
    """Chooses the root, the external gradient and what becomes of graph and gradients."""

    backward_requested = Signal()
    root_chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("lab.backwardBar")
        self.setAccessibleName(translate("Lab", "Backward"))
        self.root = QComboBox(self)
        self.root.setObjectName("lab.root")
        self.root.setAccessibleName(translate("Lab", "Root of the graph"))
        self.root.setToolTip(
            translate("Lab", "The tensor where backward starts and whose graph is shown")
        )
        self.root.setMinimumContentsLength(6)
        self.root.activated.connect(lambda _: self.root_chosen.emit(self.root.currentText()))
        self.gradient = QLineEdit(self)
        self.gradient.setObjectName("lab.gradient")
        self.gradient.setAccessibleName(translate("Lab", "External gradient"))
        self.gradient.setPlaceholderText(translate("Lab", "gradient, e.g. [1., 2.]"))
        self.gradient.setToolTip(
            translate(
                "Lab",
                "The vector v of the vector-Jacobian product. Required if the root is not "
                "a scalar; must have the shape of the root.",
            )
        )
        self.gradient.returnPressed.connect(self.backward_requested)
        self._build_choices()
        row = QHBoxLayout(self)
        row.setContentsMargins(4, 8, 12, 2)
        row.setSpacing(8)
        row.addWidget(PlainLabel(translate("Lab", "Backward from"), self))
        row.addWidget(self.root)
        row.addWidget(self.gradient, 1)
        for widget in (self.retain, self.gradients, self.backward):
            row.addWidget(widget)

    def _build_choices(self) -> None:
        self.retain = QCheckBox(translate("Lab", "Keep graph"), self)
        self.retain.setObjectName("lab.retain")
        self.retain.setAccessibleName(translate("Lab", "Keep graph"))
        self.retain.setToolTip(
            translate("Lab", "retain_graph=True: keep the saved tensors for another backward pass")
        )
        self.gradients = QComboBox(self)
        self.gradients.setObjectName("lab.gradients")
        self.gradients.setAccessibleName(translate("Lab", "Existing gradients"))
        self.gradients.addItem(translate("Lab", "Accumulate"))
        self.gradients.addItem(translate("Lab", "Zero first"))
        self.gradients.setToolTip(
            translate("Lab", "Add to the existing gradients, or set them to None first")
        )
        self.backward = QPushButton(translate("Lab", "Run backward"), self)
        self.backward.setObjectName("lab.backward")
        self.backward.setAccessibleName(translate("Lab", "Run backward"))
        self.backward.setToolTip(translate("Lab", "Call backward() on the root"))
        self.backward.clicked.connect(self.backward_requested)

    @property
    def is_accumulating(self) -> bool:
        """Whether gradients are added to those that are there."""
        return self.gradients.currentIndex() == 0

    def set_roots(self, names: Sequence[str], chosen: str) -> None:
        """Offer roots, with one chosen."""
        with QSignalBlocker(self.root):
            self.root.clear()
            self.root.addItems(list(names))
            self.root.setCurrentIndex(self.root.findText(chosen))

    def set_enabled(self, *, is_enabled: bool) -> None:
        """Let backward be run, where there is a graph and nothing runs."""
        self.backward.setEnabled(is_enabled and self.root.count() > 0)
