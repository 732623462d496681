"""Samples with their masks, as they are looked at."""

import msgspec


class MaskSample(msgspec.Struct, frozen=True, kw_only=True):
    """A sample with its masks, not larger than it can be looked at: its ``index`` in the source and
    its ``number`` in the part. ``truth`` and ``prediction`` have the class of each pixel (int16,
    row by row, of height and width ``size``; below zero for none), ``pixels`` the picture as bytes
    (channels × height × width, ``picture_size``, of one or three channels).
    """

    index: int
    number: int
    size: tuple[int, int]
    picture_size: tuple[int, int, int]
    pixels: bytes
    truth: bytes
    prediction: bytes


class MaskSamples(msgspec.Struct, frozen=True, kw_only=True):
    """Some samples with the masks that the weights of a step predict."""

    step: int
    samples: tuple[MaskSample, ...]
