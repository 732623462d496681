"""Masks of objects as transforms take them: like those of classes, with nothing where they end.

torchvision is imported with this module, which is imported when a transform is built.
"""

from torchvision.tv_tensors import Mask  # noqa: TID253 - imported where a transform is built


class ObjectMask(Mask):
    """Which pixels are of each object, (objects, height, width)."""
