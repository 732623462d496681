"""The project folder: ``project.json``, what stands beside it, and who may write it."""

from engine.project.project import Project
from engine.project.recovery import AUTOSAVE_NAMES, Recovery

__all__ = ["AUTOSAVE_NAMES", "Project", "Recovery"]
