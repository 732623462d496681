"""What all questions for samples that a model makes share: how many, and how they are sent."""

from torch import Tensor

from engine.diagnostics import DiagnosticError

_MOST_NUMBERS = 4_000_000  # of all samples together


def check_count(samples: int, size: int) -> None:
    """Raise :class:`DiagnosticError` P073 for more samples of ``size`` numbers than are made at
    once.
    """
    most = _MOST_NUMBERS // max(size, 1)
    if samples > most:
        raise DiagnosticError.of("P073", most=most)


def float_bytes(values: Tensor) -> bytes:
    """Return the numbers as float32."""
    return values.detach().float().cpu().contiguous().numpy().tobytes()
