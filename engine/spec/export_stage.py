"""Stages of an export that takes long."""

from typing import Literal

Stage = Literal["load", "trace", "write", "check"]
"""What an export is at: the model and its data are loaded, the model is traced, the file is
written, the file is checked in another process.
"""
