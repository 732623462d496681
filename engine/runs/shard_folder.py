"""The folder beside a checkpoint whose weights were written in parts, one of each process."""

import shutil
from pathlib import Path

SHARDS = "shards"
"""The key of a checkpoint that tells of its folder."""

SUFFIX = ".shards"


def remove_parts(path: Path) -> None:
    """Remove the parts of a checkpoint, if it has any."""
    shutil.rmtree(path.with_suffix(SUFFIX), ignore_errors=True)


def remove_orphans(folder: Path) -> None:
    """Remove the parts of checkpoints that were not written to their end: the file comes last."""
    for path in folder.glob(f"*{SUFFIX}"):
        if not path.with_suffix(".ckpt").exists():
            shutil.rmtree(path, ignore_errors=True)


def checkpoint_sizes(folder: Path) -> dict[str, int]:
    """Return how many bytes each checkpoint of a folder takes, its parts included."""
    return {
        path.name: path.stat().st_size
        + sum(part.stat().st_size for part in path.with_suffix(SUFFIX).glob("*"))
        for path in folder.glob("*.ckpt")
    }
