"""Colors of classes over pictures, those of masks and of boxes."""

import colorsys

_COLORS = (
    (230, 57, 70),
    (29, 161, 242),
    (255, 193, 7),
    (46, 204, 113),
    (171, 71, 188),
    (255, 127, 17),
    (0, 188, 176),
    (240, 98, 170),
    (160, 190, 60),
    (121, 85, 72),
)
"""Those of classes 1 to 10: as different as can be, the first ones also to the color blind."""
_GOLDEN = 0.618034  # a turn by it comes as near as can be to no color before


def class_color(number: int) -> tuple[int, int, int] | None:
    """Return the color of a class; none for the first, mostly the background, which stays clear."""
    if number == 0:
        return None
    if number <= len(_COLORS):
        return _COLORS[number - 1]
    turn = (number * _GOLDEN) % 1.0
    red, green, blue = colorsys.hsv_to_rgb(turn, 0.65 if number % 2 else 0.9, 0.9)
    return round(red * 255), round(green * 255), round(blue * 255)


def box_color(number: int) -> tuple[int, int, int]:
    """Return the color of the boxes of a class: all have one, as none is the background."""
    return class_color(number + 1) or (0, 0, 0)
