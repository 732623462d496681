"""Videos that tests make: a bright square that goes its way, another one in each class."""

from pathlib import Path

import torch
from torch import Tensor

WAYS = {"left": (0, -1), "right": (0, 1), "down 2": (1, 0)}
"""Where the square goes, in rows and columns: only several frames tell left from right."""

SIDE, COUNT, RATE = 32, 12, 6


def moving(
    way: tuple[int, int], count: int = COUNT, height: int = SIDE, width: int = SIDE, seed: int = 0
) -> Tensor:
    """Return frames, uint8 of shape (frames, 3, height, width): a square goes through them from a
    place of its own, and comes in again at the other side.
    """
    chance = torch.Generator().manual_seed(seed)
    top, left = (int(torch.randint(size, (1,), generator=chance)) for size in (height, width))
    frames = torch.full((count, 3, height, width), 40, dtype=torch.uint8)
    rows, columns = torch.arange(8) + top, torch.arange(8) + left
    for number in range(count):
        down = (rows + 2 * number * way[0]) % height
        right = (columns + 2 * number * way[1]) % width
        frames[number, :, down[:, None], right] = 220
    return frames


def numbered(count: int = COUNT, side: int = SIDE) -> Tensor:
    """Return frames of one gray each, which says the number of the frame."""
    grays = (torch.arange(count) * (240 // count) + 8).to(torch.uint8)
    return grays.reshape(-1, 1, 1, 1).expand(count, 3, side, side).contiguous()


def write(path: Path, frames: Tensor, rate: float = RATE) -> Path:
    """Write a video, its format told by the ending of its name."""
    from torchcodec.encoders import VideoEncoder  # takes seconds: not where tests are collected

    path.parent.mkdir(parents=True, exist_ok=True)
    VideoEncoder(frames, frame_rate=rate).to_file(path)
    return path


def video_folder(folder: Path, count: int = 5) -> Path:
    """Return a folder with a class folder for each way, in all formats."""
    for name, way in WAYS.items():
        for number in range(count):
            ending = ("mp4", "avi", "mkv", "mov", "webm")[number % 5]
            write(folder / name / f"{number}.{ending}", moving(way, seed=number))
    return folder
