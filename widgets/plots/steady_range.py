"""Ranges that do not change with every point: numbers at an axis that run are hard to read, and
laying an axis anew costs more than drawing the curves.
"""

Span = tuple[float, float]

_AHEAD = 0.2  # room for steps to come, as a share of the span
_AROUND = 0.06  # room for heights to come, at either end
_SLACK = 1.35  # a span that is so much longer than needed is given up


def steady(shown: Span | None, needed: Span, *, is_growing_right: bool) -> Span:
    """Return the range to show: the one that is shown as long as it fits, else one with room.

    ``is_growing_right`` gives room at the upper end only (steps); else at both ends.
    """
    low, high = needed
    if shown is not None and shown[0] <= low and high <= shown[1]:
        is_tight = shown[1] - shown[0] <= _SLACK * (high - low)
        if is_tight and (not is_growing_right or shown[0] == low):
            return shown
    if shown is None:
        return needed
    if is_growing_right:
        return (low, high + (high - low) * _AHEAD)
    room = (high - low) * _AROUND
    return (low - room, high + room)
