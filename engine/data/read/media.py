"""Streams of sounds and videos: plain files, of which no more is held than is decoded."""

import hashlib
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from engine.data.read.enclosed import open_enclosed
from engine.diagnostics import DiagnosticError
from engine.files import NoFileError, open_file

if TYPE_CHECKING:
    from io import BufferedReader

_PIECE = 1 << 20  # bytes that are hashed at once
_LONGEST_DETAIL = 300


def damaged_media(code: str, path: Path, detail: object) -> DiagnosticError:
    """Return the failure ``code`` of a file whose content cannot be used."""
    return DiagnosticError.of(code, file=str(path), detail=str(detail)[:_LONGEST_DETAIL])


@contextmanager
def opened_media(path: Path, damaged: str) -> "Generator[BufferedReader]":
    """Open a file, which may be inside another.

    Raises :class:`DiagnosticError`: D054 for one that is not there, D055 for one that may not be
    read, D056 for a fault of the disk, ``damaged`` for what is no file, and what
    :func:`~engine.data.read.enclosed.read_enclosed` raises.
    """
    try:
        stream = open_file(path)
    except (FileNotFoundError, NotADirectoryError) as error:
        stream = open_enclosed(path)
        if stream is None:
            raise DiagnosticError.of("D054", file=str(path), detail=str(error)) from error
    except PermissionError as error:
        raise DiagnosticError.of("D055", file=str(path), detail=str(error)) from error
    except (NoFileError, IsADirectoryError) as error:
        raise damaged_media(damaged, path, error) from error
    except (OSError, ValueError) as error:  # a path with a zero in it
        raise DiagnosticError.of("D056", file=str(path), detail=str(error)) from error
    with stream:
        yield stream


def media_digest(path: Path, damaged: str) -> bytes:
    """Return a hash (16 bytes) of a file. Raises as :func:`opened_media` does."""
    state = hashlib.blake2b(digest_size=16)
    with opened_media(path, damaged) as stream:
        try:
            while piece := stream.read(_PIECE):
                state.update(piece)
        except OSError as error:
            raise DiagnosticError.of("D056", file=str(path), detail=str(error)) from error
    return state.digest()
