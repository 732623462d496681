"""Importer of an array from a file into the lab, in its own memory or as a copy."""

import json
import re
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QFileDialog

from engine.graph.naming import free_name, sanitized_name
from studio.i18n import translate
from studio.inspect.lab.code import LabCode
from widgets.common import parts

_NUMPY = "import numpy as np"


class ArrayImporter(QObject):
    """Asks for a NumPy file, writes the lines that load it below the code, and runs."""

    def __init__(self, code: LabCode, run: Callable[[], object]) -> None:
        super().__init__(code)
        self._code = code
        self._run = run
        code.array_requested.connect(self._ask)

    def _ask(self, is_shared: bool) -> None:
        title = translate("Lab", "Import NumPy array")
        dialog = parts.named(QFileDialog(self._code.window(), title), "dialog.lab.array", title)
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


def with_array(code: str, file: Path, *, is_shared: bool) -> str:
    """Return code with the lines that load a ``.npy`` file as an array and make it a tensor: one in
    the memory of the array (``torch.from_numpy``), or a copy (``torch.tensor``).
    """
    taken = set(re.findall(r"\w+", code))
    array = free_name("array", taken)
    tensor = free_name(sanitized_name(file.stem), taken | {array, "np", "torch"})
    function = "torch.from_numpy" if is_shared else "torch.tensor"
    lines = [] if re.search(rf"^{_NUMPY}\b", code, re.MULTILINE) else [_NUMPY]
    lines += [f"{array} = np.load({json.dumps(str(file), ensure_ascii=False)})"]
    lines += [f"{tensor} = {function}({array})"]
    typed = code.rstrip()
    return "\n".join([*([typed] if typed else []), *lines]) + "\n"
