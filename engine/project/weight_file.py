"""Names of the files of weights in a project."""

from pathlib import Path


def free_weights(project: Path, stem: str, suffix: str = ".safetensors") -> str:
    """Return where weights go in a project: never over those that undo may come back to."""
    path, number = f"weights/{stem}{suffix}", 2
    while (project / path).exists():
        path, number = f"weights/{stem}_{number}{suffix}", number + 1
    return path
