"""Choice of a run and its checkpoint: the beginning of the bar of several pages."""

from collections.abc import Sequence

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QSizePolicy, QWidget

from studio.i18n import translate
from widgets.common import parts


class RunChoice(QWidget):
    """Two lists; ``changed`` comes with another checkpoint, ``run_changed`` with another run."""

    changed = Signal()
    run_changed = Signal()

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(f"{name}.choice")
        self.setAccessibleName(translate("RunChoice", "Run and checkpoint"))
        self._runs = self._combo(f"{name}.run", translate("RunChoice", "Run"))
        self._checkpoints = self._combo(f"{name}.checkpoint", translate("RunChoice", "Checkpoint"))
        self._runs.activated.connect(lambda _: self.run_changed.emit())
        self._checkpoints.activated.connect(lambda _: self.changed.emit())
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(self._runs)
        row.addWidget(self._checkpoints)

    def _combo(self, name: str, title: str) -> QComboBox:
        combo = parts.combo(self, name, title)
        combo.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        combo.setMaximumWidth(200)
        return combo

    @property
    def run(self) -> str:
        """The id of the run that is chosen; empty without one."""
        return str(self._runs.currentData() or "")

    @property
    def checkpoint(self) -> str:
        """``best``, ``last`` or a file name; empty without one."""
        return str(self._checkpoints.currentData() or "")

    def set_runs(self, runs: Sequence[tuple[str, str]], chosen: str) -> None:
        """Offer runs (id and name); what is chosen stays where that is possible."""
        _fill(self._runs, runs, chosen)

    def set_checkpoints(self, choices: Sequence[tuple[str, str]]) -> None:
        """Offer checkpoints (key and text); what is chosen stays where that is possible."""
        _fill(self._checkpoints, choices, self.checkpoint)


def _fill(combo: QComboBox, choices: Sequence[tuple[str, str]], chosen: str) -> None:
    known = [(combo.itemData(at), combo.itemText(at)) for at in range(combo.count())]
    with QSignalBlocker(combo):
        if known != list(choices):
            combo.clear()
            for key, text in choices:
                combo.addItem(text, key)
        combo.setCurrentIndex(max(combo.findData(chosen), 0) if choices else -1)
