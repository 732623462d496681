"""A window that slides over a grid, as frozen values: drawn first, so it works without numpy."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class SlidingAxis:
    """How a window slides along one axis of a grid of ``size`` cells with ``before`` and ``after``
    cells of padding: ``taps`` cells, ``dilation`` apart, at ``count`` places, ``stride`` apart.
    """

    size: int = 1
    before: int = 0
    after: int = 0
    taps: int = 1
    stride: int = 1
    dilation: int = 1
    count: int = 1

    @property
    def extent(self) -> int:
        """How many cells a window reaches over."""
        return self.dilation * (self.taps - 1) + 1


@dataclass(frozen=True, kw_only=True, slots=True)
class WindowView:
    """A window that slides over a grid, a place of it for each cell of a smaller grid. ``axes`` are
    rows and columns; ``large`` and ``small`` say what the grids are, ``lines`` how many cells.
    """

    axes: tuple[SlidingAxis, SlidingAxis]
    large: str
    small: str
    lines: tuple[str, ...] = ()
