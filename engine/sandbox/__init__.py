"""Reading what strangers made in a process that can harm nobody."""

from engine.sandbox.confinement import Confinement, confine, describe

__all__ = ["Confinement", "confine", "describe"]
