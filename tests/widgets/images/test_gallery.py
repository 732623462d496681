"""The gallery: pictures as they are, made only when seen."""

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel

from widgets.images import gallery as gallery_module
from widgets.images.gallery import GalleryView
from widgets.images.pixels import to_image
from widgets.images.view_model import ImageView


@pytest.fixture
def gallery(qtbot):
    widget = GalleryView("data.gallery")
    widget.resize(400, 300)
    qtbot.addWidget(widget)
    with qtbot.waitExposed(widget):
        widget.show()
    yield widget
    widget.close()


def images(count):
    rng = np.random.default_rng(0)
    return [ImageView(pixels=rng.random((1, 8, 8)), label=str(at % 10)) for at in range(count)]


def test_that_pixels_come_out_as_they_went_in():
    pixels = np.array([[[0.0, 0.5], [1.0, 2.0]]])
    image = to_image(ImageView(pixels=pixels))
    grey = [image.pixelColor(x, y).red() for y in range(2) for x in range(2)]
    assert grey == [0, 128, 255, 255]
    color = np.zeros((3, 1, 2), dtype=np.uint8)
    color[0, 0, 1] = 200
    image = to_image(ImageView(pixels=color))
    assert image.pixelColor(1, 0).getRgb()[:3] == (200, 0, 0)
    assert image.pixelColor(0, 0).getRgb()[:3] == (0, 0, 0)


def test_that_an_open_range_is_spread_over_what_the_picture_holds():
    pixels = np.array([[-3.0, np.nan], [5.0, 1.0]])
    image = to_image(ImageView(pixels=pixels, minimum=0, maximum=0))
    grey = [image.pixelColor(x, y).red() for y in range(2) for x in range(2)]
    assert grey == [0, 0, 255, 128]
    flat = to_image(ImageView(pixels=np.full((4, 4), 7.0), minimum=0, maximum=0))
    assert flat.pixelColor(0, 0).red() == 0


@pytest.mark.parametrize("shape", [(2, 8, 8), (8,), (1, 0, 8), (1, 1, 8, 8)])
def test_that_what_is_no_picture_is_refused_with_its_shape(shape):
    with pytest.raises(ValueError, match="not a picture"):
        to_image(ImageView(pixels=np.zeros(shape)))


def test_that_only_pictures_in_view_are_made(gallery, qtbot, monkeypatch):
    made = []
    monkeypatch.setattr(gallery_module, "to_image", lambda view: made.append(1) or to_image(view))
    gallery.set_images(images(5_000))
    gallery.grab()
    assert 0 < len(made) < 120


def test_that_arrows_select_and_enter_opens(gallery, qtbot):
    gallery.set_images(images(50))
    gallery.list.setFocus()
    gallery.list.setCurrentIndex(gallery.list.model().index(0, 0))
    with qtbot.waitSignal(gallery.selection_changed) as caught:
        qtbot.keyClick(gallery.list, Qt.Key.Key_Right)
    assert caught.args == [1]
    assert gallery.selected_index() == 1
    with qtbot.waitSignal(gallery.image_activated) as caught:
        qtbot.keyClick(gallery.list, Qt.Key.Key_Return)
    assert caught.args == [1]


def test_that_a_click_selects(gallery, qtbot):
    gallery.set_images(images(50))
    gallery.grab()
    place = gallery.list.visualRect(gallery.list.model().index(2, 0)).center()
    with qtbot.waitSignal(gallery.selection_changed) as caught:
        qtbot.mouseClick(gallery.list.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert caught.args == [2]


def test_that_pictures_grow_with_the_slider(gallery):
    gallery.set_images(images(4))
    index = gallery.list.model().index(0, 0)
    before = gallery.list.visualRect(index).width()
    gallery.zoom.setValue(200)
    gallery.grab()
    assert gallery.list.visualRect(index).width() > before


def test_that_small_pictures_keep_hard_edges(gallery):
    checks = (np.indices((2, 2)).sum(axis=0) % 2).astype(np.float64)
    gallery.set_images([ImageView(pixels=checks)])
    picture = gallery.list.grab().toImage()
    box = gallery.list.visualRect(gallery.list.model().index(0, 0))
    greys = {picture.pixelColor(x, box.center().y() - 10).red() for x in range(14, 70)}
    assert greys <= {0, 255}


def test_that_an_empty_gallery_says_why(gallery):
    gallery.set_images((), "This data has no pictures.")
    words = [label for label in gallery.findChildren(QLabel) if label.isVisible()]
    assert "This data has no pictures." in [label.text() for label in words]


def test_that_a_screen_reader_hears_the_label(gallery):
    gallery.set_images([ImageView(pixels=np.zeros((4, 4)), label="3", sublabel="test")])
    index = gallery.list.model().index(0, 0)
    assert index.data(Qt.ItemDataRole.AccessibleTextRole) == "3 test"


def test_that_words_stand_around_large_pictures_alone(gallery):
    pixels, words = np.ones((2, 2)), ("sea", "wind")

    def is_written() -> tuple[bool, bool]:
        """Return whether something is painted left of the upper row and above the first column."""
        picture = gallery.list.grab().toImage()
        box = gallery.list.visualRect(gallery.list.model().index(0, 0)).adjusted(6, 6, 0, 0)
        side = gallery.zoom.value()
        room, middle = box.width() - 6 - side, side // 4
        left = {picture.pixel(box.left() + at, box.top() + room + middle) for at in range(room)}
        above = {picture.pixel(box.left() + room + middle, box.top() + at) for at in range(room)}
        return len(left) > 1, len(above) > 1

    small = gallery.zoom.value()
    gallery.set_images([ImageView(pixels=pixels, rows=words, columns=words)])
    large = gallery.zoom.value()
    assert large > small
    wide = gallery.list.visualRect(gallery.list.model().index(0, 0)).size()
    assert min(wide.width(), wide.height()) > large + 25
    assert is_written() == (True, True)
    gallery.set_images([ImageView(pixels=pixels)])
    assert gallery.zoom.value() == small
    gallery.zoom.setValue(large)
    assert gallery.list.visualRect(gallery.list.model().index(0, 0)).width() < wide.width()


def test_that_the_scale_is_that_of_all_pictures_or_of_the_current_one(qtbot):
    gallery = GalleryView("tensors.images", has_scale=True)
    qtbot.addWidget(gallery)
    counted = gallery.findChild(QLabel)
    pictures = [np.array([[0.0, 2.0]]), np.array([[3.0, 4.0]])]
    gallery.set_images([ImageView(pixels=each, maximum=4.0) for each in pictures], total=1_200)
    assert gallery.scale.accessibleName() == "Black is 0, white is 4"
    assert counted.text() == "First 2 of 1,200 shown"
    gallery.set_images([ImageView(pixels=each, label="a", maximum=0.0) for each in pictures])
    gallery.list.setCurrentIndex(gallery.list.model().index(1, 0))
    assert gallery.scale.accessibleName() == "a: Black is 3, white is 4"
    gallery.set_images([ImageView(pixels=np.zeros((2, 2), np.uint8))])
    assert gallery.scale.isHidden()
    assert counted.text() == "1 shown"


def test_that_labels_that_are_longer_than_small_pictures_have_room_and_are_told(gallery):
    label = "circle → triangle"
    gallery.set_images([ImageView(pixels=np.zeros((1, 8, 8)), label=label, sublabel="75%")])
    place = gallery.list.model().index(0, 0)
    width = gallery.list.visualRect(place).width()
    assert width >= gallery.list.fontMetrics().horizontalAdvance(label)
    assert label in place.data(Qt.ItemDataRole.ToolTipRole)
    gallery.set_images(images(3))
    assert gallery.list.visualRect(gallery.list.model().index(0, 0)).width() < width
