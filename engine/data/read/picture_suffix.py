"""Names of the files of pictures, without PyTorch, which the reader of their pixels needs."""

SUFFIXES = frozenset(
    (".jpg", ".jpeg", ".png", ".webp", ".bmp", ".tif", ".tiff", ".gif", ".ppm", ".pgm")
)
"""The endings of the names of pictures, in small letters."""
