"""Names of the files of pictures, without PyTorch, which the reader of their pixels needs."""

from engine.spec.data_file import PICTURES

SUFFIXES = frozenset(PICTURES)
"""The endings of the names of pictures, in small letters."""
