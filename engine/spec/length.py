"""Length of an epoch, in batches and in steps of the optimizer."""

from engine.spec.run import RunSpec


def batches_per_epoch(samples: int, batch_size: int, *, drop_last: bool) -> int:
    """Return how many batches so many training samples make."""
    return samples // batch_size if drop_last else -(-samples // batch_size)


def steps_per_epoch(samples: int, spec: RunSpec) -> int:
    """Return how many steps the optimizer takes in an epoch; each takes the gradients of as many
    batches as are accumulated, the last one those of the rest.
    """
    size, drop_last = max(spec.data.batch_size, 1), spec.data.drop_last
    batches = batches_per_epoch(samples, size, drop_last=drop_last)
    return -(-batches // max(spec.accumulation.batches, 1))
