"""Shards of a checkpoint: the folder beside it with the weights of each process."""

import contextlib
import shutil
from pathlib import Path

from engine.files import is_link

SHARDS = "shards"
"""The key of a checkpoint that tells of its folder."""

SUFFIX = ".shards"


def remove_parts(path: Path) -> None:
    """Remove the parts of a checkpoint, if it has any."""
    shutil.rmtree(path.with_suffix(SUFFIX), ignore_errors=True)


def remove_orphans(folder: Path) -> None:
    """Remove the parts of checkpoints that were not written to their end: the file comes last."""
    for path in folder.glob(f"*{SUFFIX}"):
        if path.with_suffix(".ckpt").exists():
            continue
        if is_link(path):  # the next writing would go where it leads
            path.unlink(missing_ok=True)
        else:
            shutil.rmtree(path, ignore_errors=True)


def checkpoint_sizes(folder: Path) -> dict[str, int]:
    """Return how many bytes each checkpoint of a folder takes, its parts included. One that is
    removed meanwhile is left out.
    """
    found: dict[str, int] = {}
    for path in folder.glob("*.ckpt"):
        with contextlib.suppress(FileNotFoundError):
            parts = path.with_suffix(SUFFIX).glob("*")
            found[path.name] = sum(part.stat().st_size for part in (path, *parts))
    return found
