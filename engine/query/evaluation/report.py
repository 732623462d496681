"""Loss and metrics of a checkpoint, as plain values."""

import msgspec


class Evaluation(msgspec.Struct, frozen=True, kw_only=True):
    """Loss and metrics of a checkpoint on one part of the data, by series (``test.accuracy``)."""

    run: str
    checkpoint: str
    split: str
    metrics: dict[str, float]
    samples: int = 0
