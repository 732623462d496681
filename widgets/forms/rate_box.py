"""A field for a learning rate."""

from PySide6.QtWidgets import QDoubleSpinBox, QWidget
from typing_extensions import override

from widgets.common.text import plain_tip


class RateBox(QDoubleSpinBox):
    """Shows a rate with as many digits as it has; its arrows step by the order of magnitude."""

    def __init__(self, name: str, label: str, help_text: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setAccessibleName(label)
        self.setToolTip(plain_tip(help_text))
        self.setDecimals(8)
        self.setRange(1e-8, 100.0)
        self.setStepType(QDoubleSpinBox.StepType.AdaptiveDecimalStepType)
        self.setKeyboardTracking(False)

    @override
    def textFromValue(self, value: float) -> str:
        return f"{value:.8f}".rstrip("0").rstrip(".") or "0"
