"""Demo of a gallery of small pictures: ``python -m widgets.images.demo``."""

import sys

import numpy as np
from PySide6.QtWidgets import QWidget

from widgets.common.demo_window import run_demo
from widgets.images.gallery import GalleryView
from widgets.images.view_model import ImageView


def build_demo(language: str) -> QWidget:
    """Return a gallery with grey and coloured pictures."""
    rng = np.random.default_rng(0)
    word = "类别" if language == "zh_CN" else "class"
    across, down = np.meshgrid(np.linspace(-1, 1, 8), np.linspace(-1, 1, 8))
    images = []
    for index in range(240):
        turn = index / 240 * np.pi
        wave = np.cos(4 * (across * np.cos(turn) + down * np.sin(turn)))
        noise = rng.random((3 if index % 5 == 4 else 1, 8, 8)) * 0.4
        images.append(
            ImageView(pixels=wave * 0.5 + 0.3 + noise, label=f"{word} {index % 10}", maximum=1.2)
        )
    gallery = GalleryView("data.gallery")
    gallery.set_images(images)
    gallery.list.setCurrentIndex(gallery.list.model().index(3, 0))
    return gallery


if __name__ == "__main__":
    sys.exit(run_demo(build_demo, "Images"))
