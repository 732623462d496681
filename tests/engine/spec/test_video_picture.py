"""Pictures of videos: which frames lie where, and how bright."""

import numpy as np
import pytest

from engine.spec.video_picture import still_pixels, video_pixels


def frames(count: int) -> np.ndarray:
    grays = np.linspace(0, 1, count, dtype=np.float32).reshape(1, count, 1, 1)
    return np.broadcast_to(grays, (3, count, 6, 8))


def test_that_frames_lie_in_rows_from_the_first_to_the_last() -> None:
    pixels = video_pixels(frames(6), 400)
    assert pixels.shape == (6 + 2 + 6, 4 * 8 + 3 * 2, 3)
    shown = [pixels[0, 0, 0], pixels[0, 12, 0], pixels[0, -1, 0], pixels[-1, 0, 0]]
    assert shown == sorted(shown)
    assert (pixels[0, 0] == 0).all()
    assert (pixels[-1, 12] == 255).all()


def test_that_of_many_frames_first_and_last_are_shown() -> None:
    pixels = video_pixels(frames(100), 400)
    assert pixels.shape == (2 * 6 + 2, 4 * 8 + 3 * 2, 3)
    assert pixels[0, 0, 0] == 0
    assert pixels[-1, -1, 0] == 255


def test_that_numbers_beyond_0_and_1_are_spread() -> None:
    pixels = video_pixels(frames(2) * 4 - 2, 400)
    assert (pixels.min(), pixels.max()) == (0, 255)


def test_that_a_still_is_the_middle_frame() -> None:
    assert still_pixels(frames(3)).shape == (6, 8, 3)
    assert still_pixels(frames(3))[0, 0, 0] == 128


@pytest.mark.parametrize("shape", [(3, 0, 4, 4), (3, 1, 1, 1), (1, 9, 5, 700), (3, 2, 400, 3)])
@pytest.mark.parametrize("width", [1, 7, 128])
def test_that_any_video_has_a_picture_that_is_no_wider(shape: tuple[int, ...], width: int) -> None:
    pixels = video_pixels(np.full(shape, np.nan, np.float32), width)
    assert pixels.shape[2] == 3
    assert pixels.shape[1] <= max(width, 4 + 3 * 2)
