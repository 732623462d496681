"""Importer of an array from a file into the lab, in its own memory or as a copy."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QFileDialog

from studio.i18n import translate
from studio.inspect.lab.array import with_array
from studio.inspect.lab.code import LabCode


class ArrayImporter(QObject):
    """Asks for a NumPy file, writes the lines that load it below the code, and runs."""

    def __init__(self, code: LabCode, run: Callable[[], object]) -> None:
        super().__init__(code)
        self._code = code
        self._run = run
        code.array_requested.connect(self._ask)

    def _ask(self, is_shared: bool) -> None:
        title = translate("Lab", "Import NumPy array")
        dialog = QFileDialog(self._code.window(), title)
        dialog.setObjectName("dialog.lab.array")
        dialog.setAccessibleName(title)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.setNameFilters([translate("Tensors", "NumPy array (*.npy)")])
        dialog.fileSelected.connect(lambda file: self._take(Path(file), is_shared=is_shared))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def _take(self, file: Path, *, is_shared: bool) -> None:
        editor = self._code.editor
        editor.set_text(with_array(editor.text(), file, is_shared=is_shared))
        self._code.text_settled.emit(editor.text())
        self._run()
