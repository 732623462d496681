"""Panel of the pictures that are put into a model beside the one that is drawn."""

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLabel, QPushButton, QVBoxLayout, QWidget

from studio.i18n import translate
from studio.inspect.playground.pictures import FurtherPicture
from widgets.common import parts
from widgets.images.file_panel import FilePanel
from widgets.images.view_model import ImageView

_LEAST_HEIGHT = 120  # pixels


class PicturesPanel(QWidget):
    """A picture for each further field: ``file_offered`` names the field and a file that was
    dropped on it, ``file_requested`` the field that a file is to be chosen for.
    """

    file_offered = Signal(str, str)
    file_requested = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        title = translate("Playground", "Further images")
        parts.named(self, "playground.pictures", title)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._slots: dict[str, _PictureSlot] = {}

    def set_pictures(self, pictures: Sequence[FurtherPicture]) -> None:
        """Show the pictures, each in its place."""
        names = [picture.field for picture in pictures]
        if names != list(self._slots):
            for slot in self._slots.values():
                self._column.removeWidget(slot)
                slot.deleteLater()
            self._slots = {name: self._made(name) for name in names}
        for picture in pictures:
            self._slots[picture.field].set_image(picture.image)
        self.setVisible(bool(pictures))

    def _made(self, name: str) -> "_PictureSlot":
        slot = _PictureSlot(name, self)
        slot.file_offered.connect(self.file_offered)
        slot.file_requested.connect(self.file_requested)
        self._column.addWidget(slot)
        return slot


class _PictureSlot(QWidget):
    """The picture of one field, its name and a button that opens another."""

    file_offered = Signal(str, str)
    file_requested = Signal(str)

    def __init__(self, name: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._field = name
        self._image: ImageView | None = None
        parts.named(self, f"playground.picture.{name}", name)
        self._picture = FilePanel(f"playground.picture.{name}.image", self)
        self._picture.setAccessibleName(name)
        self._picture.setMinimumHeight(_LEAST_HEIGHT)
        self._picture.file_dropped.connect(self._offer)
        self._title: QLabel = parts.label(self, f"playground.picture.{name}.title", name)
        self._title.setText(name)
        self._file: QLabel = parts.label(
            self,
            f"playground.picture.{name}.name",
            translate("Playground", "File of the image"),
            role="muted",
        )
        opened: QPushButton = parts.button(
            self,
            f"playground.picture.{name}.open",
            translate("Playground", "Open…"),
            icon="image",
            tip=translate("Playground", "Open an image file, or drop one on the image"),
        )
        opened.clicked.connect(self._request)
        row = parts.row(opened, (self._file, 1), spacing=8)
        items = (self._title, (self._picture, 1), row)
        parts.column(*items, margins=(0, 0, 0, 0), spacing=4, parent=self)

    def set_image(self, image: ImageView) -> None:
        """Show a picture."""
        if image is not self._image:
            self._image = image
            self._picture.set_image(image)
            self._file.setText(image.label)

    def _offer(self, file: str) -> None:
        self.file_offered.emit(self._field, file)

    def _request(self) -> None:
        self.file_requested.emit(self._field)
