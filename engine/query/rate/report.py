"""The learning rates of a run, as plain values."""

import msgspec


class LrPreview(msgspec.Struct, frozen=True, kw_only=True):
    """The learning rates at the beginning of some steps, from really stepping the scheduler:
    ``values`` for each group of parameters, the rest first.
    """

    steps: tuple[int, ...]
    values: tuple[tuple[float, ...], ...]
