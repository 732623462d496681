"""Faces laid out as CelebA is published: aligned pictures with a dot at each landmark."""

from pathlib import Path

import numpy as np
from PIL import Image

NAMES = ("lefteye", "righteye", "nose", "leftmouth", "rightmouth")
COLORS = ((255, 0, 0), (0, 255, 0), (0, 0, 255), (255, 255, 0), (255, 0, 255))
WIDTH, HEIGHT = 178, 218


def lay_out(root: Path, faces: int) -> np.ndarray:
    """Write faces, a third of them for each part, and return their landmarks in pixels, int64 of
    shape (faces, 5, 2). The picture is black but for a square around each, of its color.
    """
    folder = root / "celeba"
    (folder / "img_align_celeba").mkdir(parents=True)
    chance = np.random.default_rng(3)
    middle = np.array(((69, 111), (107, 112), (88, 135), (71, 152), (105, 153)))
    points = middle + chance.integers(-9, 10, (faces, 5, 2))
    names = [f"{number:06d}.jpg" for number in range(1, faces + 1)]
    for name, each in zip(names, points, strict=True):
        picture = np.zeros((HEIGHT, WIDTH, 3), np.uint8)
        for (x, y), color in zip(each, COLORS, strict=True):
            picture[y - 3 : y + 4, x - 3 : x + 4] = color
        Image.fromarray(picture).save(folder / "img_align_celeba" / name, quality=95)
    head = f"{faces}\n{' '.join(f'{name}_{axis}' for name in NAMES for axis in 'xy')}\n"
    rows = "".join(
        f"{name}    {'  '.join(f'{value:>3}' for value in each.flatten())}\n"
        for name, each in zip(names, points, strict=True)
    )
    (folder / "list_landmarks_align_celeba.txt").write_text(head + rows)
    parts = "".join(f"{name} {at * 3 // faces}\n" for at, name in enumerate(names))
    (folder / "list_eval_partition.txt").write_text(parts)
    (folder / "identity_CelebA.txt").write_text("".join(f"{name} 1\n" for name in names))
    for name, columns in (("bbox", "image_id x_1 y_1 width height"), ("attr", "Male Smiling")):
        cells = " ".join("1" for _ in columns.split()[name == "bbox" :])
        text = f"{faces}\n{columns}\n" + "".join(f"{each} {cells}\n" for each in names)
        (folder / f"list_{name}_celeba.txt").write_text(text)
    return points


def lay_out_wild(root: Path, faces: int) -> np.ndarray:
    """Write pictures before they were aligned beside those of :func:`lay_out`, each of another size
    and white where its box is; return left, top, width and height of these, int64 of shape
    (faces, 4).
    """
    folder = root / "celeba" / "img_celeba"
    folder.mkdir()
    chance = np.random.default_rng(5)
    boxes = np.stack([chance.integers(low, low + 20, faces) for low in (10, 15, 40, 50)], axis=1)
    lines = [f"{faces}", "image_id x_1 y_1 width height"]
    for at, (left, top, width, height) in enumerate(boxes, 1):
        picture = np.zeros((130 + at, 150 + 2 * at, 3), np.uint8)
        picture[top : top + height, left : left + width] = 255
        Image.fromarray(picture).save(folder / f"{at:06d}.jpg", quality=95)
        lines.append(f"{at:06d}.jpg    {left:>4} {top:>3} {width:>3} {height:>3}")
    (root / "celeba" / "list_bbox_celeba.txt").write_text("\n".join(lines) + "\n")
    return boxes
