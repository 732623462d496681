"""Pictures with points in each, such as where the eyes of a face are."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path

import torch
from torch import Tensor
from typing_extensions import override

from engine.data.read.fit import fit_placement
from engine.data.read.image import read_size
from engine.data.source.image_folder import ImageFolderSource
from engine.data.source.vision.array_set import vision_class
from engine.data.source.vision.face import LANDMARKS, face_landmarks
from engine.data.source.vision.picture_set import damaged
from engine.spec.data import FieldInfo

FACES = "CelebA"
"""The set whose faces have landmarks."""

_SIDES = {"left": "right", "right": "left"}


@dataclass(frozen=True, kw_only=True)
class LandmarkSource(ImageFolderSource):
    """Pictures with points: the target ``landmarks`` has x and y of each of those that have
    ``names``, float32 of shape (2 * points,), as shares of the width and height that the picture
    has once it was fitted; one that is cut away is below 0 or above 1.

    ``points`` are the shares for all samples, of shape (samples, 2 * points), ``stored`` those of
    the pictures before they are fitted.
    """

    names: tuple[str, ...]
    points: Tensor
    stored: Tensor

    @property
    @override
    def infos(self) -> tuple[FieldInfo, ...]:
        target = FieldInfo(
            name=LANDMARKS,
            role="target",
            kind="vector",
            shape=(2 * len(self.names),),
            dtype="float32",
            columns=tuple(f"{name}_{axis}" for name in self.names for axis in "xy"),
            mirror=mirrored(self.names),
        )
        return self.file_info, target

    @override
    def column(self, name: str) -> Tensor | None:
        return self.points if name == LANDMARKS else super().column(name)

    @override
    def stored_points(self) -> Tensor:
        return self.stored.reshape(len(self.stored), -1, 2)

    @override
    def keys(self, indices: Sequence[int]) -> list[bytes]:
        pictures = self.input_keys(indices)
        pairs = zip(pictures, indices, strict=True)
        return [digest + self.points[index].numpy().tobytes() for digest, index in pairs]

    @override
    def content_digest(self) -> str:
        return super().content_digest() + self._points_version

    @override
    def version(self) -> str:
        return super().version() + self._points_version

    @cached_property
    def _points_version(self) -> str:
        return hashlib.blake2b(self.points.numpy().tobytes(), digest_size=16).hexdigest()


def landmark_source(pictures: ImageFolderSource, root: Path) -> LandmarkSource:
    """Return faces of CelebA with their landmarks. The size of the first picture is that of all:
    they were aligned to one.

    Raises :class:`DiagnosticError` D254 for a damaged list, and what reading of a picture does.
    """
    try:
        names, pixels = face_landmarks(vision_class(FACES), root)
    except (OSError, ValueError, LookupError) as error:
        raise damaged(FACES, root, error) from error
    height, width = read_size(pictures.index.path(0))
    points = torch.from_numpy(pixels)
    stored = _shares(points, height, width)
    if pictures.size is not None:
        place = fit_placement((height, width), *pictures.size, pictures.fit)
        points = points * torch.tensor(place.scale) + torch.tensor(place.shift)
        height, width = place.result
    points = _shares(points, height, width)
    kept = {each.name: getattr(pictures, each.name) for each in fields(pictures)}
    return LandmarkSource(**kept, names=names, points=points, stored=stored)


def _shares(points: Tensor, height: int, width: int) -> Tensor:
    """Return points in pixels, of shape (samples, points, 2), as shares of width and height,
    float32 of shape (samples, 2 * points).
    """
    shares = points / torch.tensor([width, height])
    return shares.reshape(len(points), -1).to(torch.float32)


def mirrored(names: Sequence[str]) -> tuple[int, ...]:
    """Return which point stands for each in a mirrored picture: the right eye for the left one."""
    return tuple(_other(name, names) for name in names)


def _other(name: str, names: Sequence[str]) -> int:
    for side, other in _SIDES.items():
        if side in name and name.replace(side, other) in names:
            return names.index(name.replace(side, other))
    return names.index(name)
