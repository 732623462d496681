"""Saver of tensors: as NumPy, as a table, and, by the host process, as PyTorch."""

from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QWidget

from engine.query.export.request import SaveTensor
from studio.i18n import translate
from studio.inspect.tensors.presenter import TensorView, file_bytes
from studio.services import Controller, Services
from studio.window.dialog.file import save_dialog, tell_saved, write_file


class TensorSaver(Controller):
    """Asks for a file and writes what is shown of a tensor into it."""

    def __init__(self, services: Services, page: QWidget) -> None:
        super().__init__(services, page)
        self._page = page

    def ask(self, view: TensorView) -> None:
        """Ask where to, and save."""
        filters = (
            translate("Tensors", "NumPy array (*.npy)"),
            translate("Tensors", "PyTorch tensor (*.pt)"),
            translate("Tensors", "Table (*.csv)"),
        )
        title = translate("Tensors", "Save the tensor")
        dialog = save_dialog(self._page, "save_tensor", title, filters, "tensor.npy")
        dialog.filterSelected.connect(lambda chosen: _follow(dialog, chosen))
        dialog.fileSelected.connect(lambda file: self._save(view, Path(file)))
        dialog.open()

    def _save(self, view: TensorView, path: Path) -> None:
        ending = path.suffix.lower()
        if ending == ".pt":
            self._handover.run(
                lambda: _request(view, path), lambda future: self._have_saved(path, future.result())
            )
            return
        self._handover.run(
            lambda: file_bytes(view.array, ending),
            lambda future: write_file(path, future.result(), self._notifications),
        )

    def _have_saved(self, path: Path, request: SaveTensor) -> None:
        self._ask_host(
            request,
            lambda _: tell_saved(path, self._notifications),
            self._notifications.report,
        )


def _follow(dialog: QFileDialog, chosen: str) -> None:
    """Let the proposed name end as the kind of file that was chosen."""
    ending = chosen.rpartition("*.")[2].removesuffix(")")
    dialog.setDefaultSuffix(ending)
    dialog.selectFile(f"tensor.{ending}")


def _request(view: TensorView, path: Path) -> SaveTensor:
    import numpy as np

    array = np.ascontiguousarray(view.array)
    return SaveTensor(
        file=str(path),
        shape=view.array.shape,
        stored=array.dtype.newbyteorder("<").str,
        data=array.tobytes(),
        dtype=view.dtype,
    )
