"""A page with its controller alone, as those of Inspect are tested."""

from tests.studio.inspect.conftest import bench

__all__ = ["bench"]
