"""What cannot be drawn as layers: a loop whose length depends on the numbers that arrive."""

import torch


def halve_until_small(x: torch.Tensor, *, limit: float = 1.0) -> torch.Tensor:
    """Halve everything until the mean of the absolute values is no more than a limit.

    How often that is may differ from step to step; autograd follows what was really done.

    Args:
        limit: What the absolute values of the batch may be on average, above zero.
    """
    while x.abs().mean() > limit:
        x = x / 2
    return x
