"""Stages of an export that takes long."""

from typing import Literal

Stage = Literal["load", "trace", "compile", "write", "check"]
"""What an export is at: the model and its data are loaded, the model is traced, it is
compiled, the file is written, the file is checked in another process.
"""
