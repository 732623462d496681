"""Masks over pictures: what is colored, how strongly, and the key that goes to the next mask."""

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage

from widgets.images.class_color import box_color, class_color
from widgets.images.gallery import GalleryView
from widgets.images.overlay import (
    ADDED,
    MISSED,
    MIXED,
    Layer,
    Look,
    layers,
    overlaid,
)
from widgets.images.overlay_picture import OverlayPicture
from widgets.images.view_model import (
    NO_SHAPE,
    BoxView,
    FoundView,
    ImageView,
    KeypointView,
    MaskView,
)

NAMES = ("ground", "cat", "dog")
TRUTH = np.array([[0, 1, 2, -1], [0, 1, 2, 0]])
CHOSEN = np.array([[0, 1, 0, 1], [2, 2, 2, 0]])


def view(**changes: object) -> ImageView:
    masks = {"truth": TRUTH, "prediction": CHOSEN, "classes": NAMES, **changes}
    return ImageView(
        pixels=np.full((3, 2, 4), 100, np.uint8),
        overlay=MaskView(**masks),  # type: ignore[arg-type]
    )


def colors(image: QImage) -> list[list[tuple[int, ...]]]:
    return [
        [image.pixelColor(x, y).getRgb()[:3] for x in range(image.width())]
        for y in range(image.height())
    ]


def test_that_a_mask_alone_has_the_colors_of_its_classes():
    rows = colors(overlaid(view(), Look(Layer.TRUTH, 1.0)))
    assert rows[1] == [(100, 100, 100), class_color(1), class_color(2), (100, 100, 100)]
    rows = colors(overlaid(view(), Look(Layer.PREDICTION, 1.0)))
    assert rows[1] == [class_color(2), class_color(2), class_color(2), (100, 100, 100)]
    assert rows[0][3] == class_color(1)


def test_that_opacity_goes_from_the_picture_to_the_mask():
    halves = colors(overlaid(view(), Look(Layer.PREDICTION, 0.5)))
    expected = [(100 + each) / 2 for each in class_color(1)]
    assert halves[0][1] == pytest.approx(expected, abs=1)
    plain = colors(overlaid(view(), Look(Layer.PREDICTION, 0.0)))
    assert {each for row in plain for each in row} == {(100, 100, 100)}


def test_that_the_difference_shows_what_is_wrong_and_nothing_else():
    look = Look(Layer.DIFFERENCE, 1.0)
    rows = colors(overlaid(view(), look))
    assert rows[0][:3] == [(100, 100, 100), (100, 100, 100), MISSED]
    assert rows[1] == [ADDED, MIXED, (100, 100, 100), (100, 100, 100)]
    assert rows[0][3] not in (MISSED, ADDED, MIXED)  # nobody knows what is right there


def test_that_pixels_without_a_class_can_be_told_from_the_ground():
    truth = np.full((12, 12), -1)
    picture = ImageView(
        pixels=np.zeros((1, 12, 12), np.uint8), overlay=MaskView(classes=NAMES, truth=truth)
    )
    seen = {each for row in colors(overlaid(picture, Look(Layer.TRUTH, 0.5))) for each in row}
    assert len(seen) == 2


def test_that_a_smaller_mask_covers_the_whole_picture():
    picture = ImageView(
        pixels=np.zeros((1, 4, 6), np.uint8),
        overlay=MaskView(classes=NAMES, prediction=np.array([[1, 2]])),
    )
    rows = colors(overlaid(picture, Look(Layer.PREDICTION, 1.0)))
    assert rows == [[class_color(1)] * 3 + [class_color(2)] * 3] * 4
    assert layers(picture.overlay) == (Layer.PREDICTION,)


def test_that_many_classes_have_different_colors():
    assert class_color(0) is None
    assert len({class_color(number) for number in range(1, 61)}) == 60


@pytest.fixture
def gallery(qtbot):
    widget = GalleryView("data.gallery")
    widget.resize(500, 400)
    qtbot.addWidget(widget)
    with qtbot.waitExposed(widget):
        widget.show()
    yield widget
    widget.close()


def test_that_a_key_goes_to_the_next_mask_of_a_gallery(gallery, qtbot):
    gallery.set_images([view(), view()])
    assert gallery.masks.isVisible()
    model = gallery.list.model()
    gallery.list.setFocus()
    seen = []
    for _ in range(3):
        seen.append(colors(model.thumbnail(1).toImage()))
        qtbot.keyClick(gallery.list, Qt.Key.Key_M)
    assert seen[0] != seen[1] != seen[2] != seen[0]
    assert colors(model.thumbnail(1).toImage()) == seen[0]
    gallery.masks.opacity.setValue(0)
    assert {each for row in colors(model.thumbnail(0).toImage()) for each in row} == {
        (100, 100, 100)
    }


def test_that_pictures_without_masks_have_no_bar(gallery):
    gallery.set_images([view()])
    gallery.set_images([ImageView(pixels=np.zeros((1, 4, 4)))])
    assert not gallery.masks.isVisible()


def test_that_of_a_single_mask_there_is_nothing_to_choose(qtbot):
    widget = OverlayPicture("playground.mask")
    qtbot.addWidget(widget)
    with qtbot.waitExposed(widget):
        widget.show()
    widget.set_image(view(truth=None))
    assert widget.masks.isVisible()
    assert not widget.masks.layer.isVisible()
    assert colors(widget.picture.image)[0][1] != (100, 100, 100)
    widget.set_image(None)
    assert widget.picture.image.isNull()
    widget.close()


def boxed(*boxes: tuple[float, float, float, float], numbers=(0,)) -> ImageView:
    view = BoxView(classes=("cat", "dog"), corners=np.array(boxes), numbers=np.array(numbers))
    return ImageView(pixels=np.full((3, 32, 64), 100, np.uint8), overlay=view)


def seen(image: QImage, x: float, y: float) -> tuple[int, ...]:
    """Return the color at shares of the width and height."""
    return image.pixelColor(int(x * image.width()), int(y * image.height())).getRgb()[:3]


def test_that_a_box_is_a_frame_in_the_color_of_its_class():
    shown = overlaid(boxed((0.25, 0.25, 0.75, 0.75), (0, 0, 0.1, 1), numbers=(1, 0)))
    for x, y in ((0.25, 0.5), (0.75, 0.5), (0.5, 0.25), (0.5, 0.75)):
        assert seen(shown, x, y) == box_color(1)
    assert seen(shown, 0.1, 0.5) == box_color(0)
    assert seen(shown, 0.5, 0.5) == seen(shown, 0.9, 0.9) == (100, 100, 100)
    assert shown.width() == 2 * shown.height()


def test_that_boxes_fade_and_are_seen_whole_at_the_border():
    whole = boxed((0, 0, 1, 1))
    assert seen(overlaid(whole), 0, 0.5) == seen(overlaid(whole), 0.999, 0.5) == box_color(0)
    faded = overlaid(whole, Look(opacity=0.0))
    assert seen(faded, 0, 0.5) == (100, 100, 100)


def test_that_a_name_is_written_where_there_is_room():
    wide, narrow = (0.2, 0.2, 0.9, 0.9), (0.2, 0.2, 0.25, 0.9)

    def letters(*box: float) -> bool:
        plain = overlaid(boxed(box))
        return plain != overlaid(boxed(box), has_names=True)

    assert letters(*wide)
    assert not letters(*narrow)


def test_that_a_small_box_is_not_hidden_by_its_name():
    whole = (0.3, 0.5, 0.6, 0.6)
    shown = overlaid(boxed(whole), has_names=True)
    plain = overlaid(boxed(whole))
    assert shown != plain  # its name stands somewhere
    inside = [
        plain.pixelColor(x, y) == shown.pixelColor(x, y)
        for x in range(int(0.3 * shown.width()) + 4, int(0.6 * shown.width()) - 4)
        for y in range(int(0.5 * shown.height()) + 4, int(0.6 * shown.height()) - 4)
    ]
    assert inside
    assert all(inside)


def test_that_boxes_of_unknown_classes_and_odd_places_are_drawn():
    assert not overlaid(boxed((0.9, 0.9, 0.2, 0.1), (2, 2, 3, 3), numbers=(7, -1))).isNull()
    none = BoxView(classes=(), corners=np.empty((0, 4)), numbers=np.empty(0, np.int64))
    picture = ImageView(pixels=np.full((1, 8, 8), 100, np.uint8), overlay=none)
    assert seen(overlaid(picture, has_names=True), 0.5, 0.5) == (100, 100, 100)


def pointed(truth, prediction=None) -> ImageView:
    found = None if prediction is None else np.array(prediction)
    points = KeypointView(names=("eye", "nose"), truth=np.array(truth), prediction=found)
    return ImageView(pixels=np.full((3, 32, 64), 200, np.uint8), overlay=points)


def test_that_a_point_is_a_disc_of_its_own_color_with_a_dark_rim():
    shown = overlaid(pointed([(0.25, 0.5), (0.75, 0.5)]))
    assert seen(shown, 0.25, 0.5) == box_color(0)
    assert seen(shown, 0.75, 0.5) == box_color(1)
    row = [shown.pixelColor(x, shown.height() // 2).lightness() for x in range(shown.width())]
    assert min(row) < 60
    assert seen(shown, 0.5, 0.5) == seen(shown, 0.25, 0.9) == (200, 200, 200)
    faded = overlaid(pointed([(0.25, 0.5), (0.75, 0.5)]), Look(opacity=0.0))
    assert seen(faded, 0.25, 0.5) == (200, 200, 200)


def test_that_points_outside_of_the_picture_are_not_drawn():
    nowhere = [(-0.001, 0.5), (float("nan"), 0.5)]
    assert overlaid(pointed(nowhere)) == overlaid(pointed([(2.0, 0.5), (0.5, 1.01)]))


def test_that_true_and_predicted_points_are_told_apart_and_joined_by_a_line():
    view = pointed([(0.2, 0.5), (9.0, 9.0)], [(0.8, 0.5), (0.5, 0.1)])
    assert layers(view.overlay) == (Layer.TRUTH, Layer.PREDICTION, Layer.DIFFERENCE)
    assert layers(pointed([(0.2, 0.5)]).overlay) == (Layer.TRUTH,)
    both = overlaid(view, Look(Layer.DIFFERENCE))
    assert seen(both, 0.2, 0.5) == MISSED
    assert seen(both, 0.8, 0.5) == seen(both, 0.5, 0.1) == ADDED
    assert seen(both, 0.5, 0.5) == ADDED  # of the line
    assert seen(overlaid(view, Look(Layer.PREDICTION)), 0.2, 0.5) == (200, 200, 200)
    assert seen(overlaid(view, Look(Layer.TRUTH)), 0.2, 0.5) == box_color(0)


def shaped(*, is_found: bool) -> ImageView:
    """Return a picture with two objects: the second is found elsewhere, or nothing is."""
    corners, numbers = np.array([[0.0, 0.0, 0.5, 1.0], [0.5, 0.0, 1.0, 1.0]]), np.array([0, 1])
    shapes = np.full((300, 400), NO_SHAPE, np.uint8)
    shapes[50:250, 20:180], shapes[50:250, 220:300] = 0, 1
    found = np.full((300, 400), NO_SHAPE, np.uint8)
    found[50:250, 20:180], found[50:250, 300:380] = 0, 1
    boxes = BoxView(
        classes=("cat", "dog"), corners=corners, numbers=numbers, shapes=shapes,
        found=FoundView(
            corners=corners, numbers=numbers, scores=np.array([0.9, 0.6]), hits=np.array([0, 1]),
            shapes=found,
        ) if is_found else None,
    )  # fmt: skip
    return ImageView(pixels=np.full((3, 300, 400), 100, np.uint8), overlay=boxes)


def test_that_objects_are_filled_with_the_colors_of_their_classes():
    image = overlaid(shaped(is_found=False), Look(Layer.TRUTH, 1.0))
    places = [(100, 150), (260, 150), (340, 150)]
    found = [image.pixelColor(*place).getRgb()[:3] for place in places]
    assert found == [box_color(0), box_color(1), (100, 100, 100)]


@pytest.mark.parametrize(("threshold", "is_shown"), [(0.5, True), (0.7, False)])
def test_that_found_objects_are_filled_from_a_score_on_and_differences_told(threshold, is_shown):
    def at(layer: Layer, x: int) -> tuple[int, ...]:
        image = overlaid(shaped(is_found=True), Look(layer, 1.0, threshold))
        return image.pixelColor(x, 150).getRgb()[:3]

    ground = (100, 100, 100)
    assert at(Layer.PREDICTION, 100) == box_color(0)
    assert at(Layer.PREDICTION, 340) == (box_color(1) if is_shown else ground)
    assert at(Layer.DIFFERENCE, 100) == ground
    assert at(Layer.DIFFERENCE, 260) == MISSED
    assert at(Layer.DIFFERENCE, 340) == (ADDED if is_shown else ground)
