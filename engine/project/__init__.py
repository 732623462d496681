"""The project folder: ``project.json``, what stands beside it, and who may write it."""

from engine.project.project import Project
from engine.project.recovery import Recovery

__all__ = ["Project", "Recovery"]
