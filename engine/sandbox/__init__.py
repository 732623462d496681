"""Reading what strangers made in a process that can harm nobody."""

from engine.sandbox.answer import Picture
from engine.sandbox.confinement import Confinement, confine, describe
from engine.sandbox.reading import Reader, read_confined

__all__ = ["Confinement", "Picture", "Reader", "confine", "describe", "read_confined"]
