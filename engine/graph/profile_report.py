"""Time of training steps by node: plain values, in seconds and floating-point operations."""

import msgspec


class ProfileRow(msgspec.Struct, frozen=True, kw_only=True):
    """One node of the canvas in a step on average, without the nodes inside it. ``place`` is its
    path, empty for what no node stands for. ``flops`` are those of its forward pass.
    """

    place: str
    name: str = ""
    forward_s: float = 0.0
    backward_s: float = 0.0
    flops: int = 0


class OperatorRow(msgspec.Struct, frozen=True, kw_only=True):
    """An operator of PyTorch in one step, as ``torch.profiler`` counts it."""

    name: str
    calls: int
    self_s: float
    total_s: float
    device_s: float = 0.0


class ProfileReport(msgspec.Struct, frozen=True, kw_only=True):
    """Some training steps. The times are of a step on average: forward with the loss, backward,
    optimizer, and what lies between two steps: waiting for the batch and telling of the step.
    """

    steps: int
    rows: tuple[ProfileRow, ...]
    operators: tuple[OperatorRow, ...] = ()
    forward_s: float = 0.0
    backward_s: float = 0.0
    optimizer_s: float = 0.0
    between_s: float = 0.0
    forward_flops: int = 0
    backward_flops: int = 0
