"""Choice of a run and its checkpoint: the beginning of the bar of several pages."""

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QSizePolicy, QWidget

from studio.i18n import translate
from widgets.common import parts


class RunChoice(QWidget):
    """Two lists; ``changed`` comes with another checkpoint, ``run_changed`` with another run."""

    changed = Signal()
    run_changed = Signal()

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        parts.named(self, f"{name}.choice", translate("RunChoice", "Run and checkpoint"))
        self._runs = self._combo(f"{name}.run", translate("RunChoice", "Run"))
        self._checkpoints = self._combo(f"{name}.checkpoint", translate("RunChoice", "Checkpoint"))
        self._runs.setMaximumWidth(200)  # a name may be of any length
        self._runs.activated.connect(lambda _: self.run_changed.emit())
        self._checkpoints.activated.connect(lambda _: self.changed.emit())
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        parts.row(self._runs, self._checkpoints, margins=(0, 0, 0, 0), spacing=8, parent=self)

    def _combo(self, name: str, title: str) -> QComboBox:
        combo = parts.combo(self, name, title)
        combo.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
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
        _offer(self._runs, runs, chosen)

    def set_checkpoints(self, choices: Sequence[tuple[str, str]]) -> None:
        """Offer checkpoints (key and text); what is chosen stays where that is possible."""
        _offer(self._checkpoints, choices, self.checkpoint)


def _offer(combo: QComboBox, choices: Sequence[tuple[str, str]], chosen: str) -> None:
    keys = [key for key, _ in choices]
    parts.set_choices(combo, choices, chosen if chosen in keys else next(iter(keys), ""))
