"""Wording of figures for the user: short, with units, the same everywhere."""

from engine.catalog.spec import Value
from engine.graph.analysis import TensorType
from studio.i18n import translate

_SIZES = ("B", "kB", "MB", "GB", "TB")
_WHOLE, _LARGE = 1e3, 1e9


def shape_text(tensor: TensorType) -> str:
    """Return ``N×16×8×8``; a tensor without axes is ``()``."""
    return "×".join(map(str, tensor.shape)) if tensor.shape else "()"


def tensor_text(tensor: TensorType) -> str:
    """Return ``N×16×8×8 float32``."""
    return f"{shape_text(tensor)} {tensor.dtype}"


def count_text(count: int) -> str:
    """Return ``1,234`` up to a million, then ``1.2 M``."""
    if count < 1_000_000:
        return f"{count:,}"
    if count < 1_000_000_000:
        return f"{count / 1e6:.1f} M"
    return f"{count / 1e9:.1f} G"


def short_count_text(count: int) -> str:
    """Return at most four signs: ``640``, ``1.2k``, ``34M``."""
    for limit, factor, unit in ((1_000, 1, ""), (1_000_000, 1e3, "k"), (1_000_000_000, 1e6, "M")):
        if count < limit:
            value = count / factor
            return f"{value:.1f}{unit}" if unit and value < 10 else f"{value:.0f}{unit}"
    return f"{count / 1e9:.1f}G"


def size_text(size: float) -> str:
    """Return a number of bytes as ``3.4 MB``."""
    for unit in _SIZES[:-1]:
        if size < 1000:
            return f"{size:.0f} {unit}" if unit == "B" or size >= 100 else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:.1f} {_SIZES[-1]}"


def duration_text(seconds: float) -> str:
    """Return ``4.2 s``, ``3 min 20 s`` or ``2 h 05 min``."""
    if seconds < 10:
        return translate("Wording", "{seconds} s").format(seconds=f"{seconds:.1f}")
    whole = round(seconds)
    if whole < 60:
        return translate("Wording", "{seconds} s").format(seconds=whole)
    if whole < 3600:
        return translate("Wording", "{minutes} min {seconds} s").format(
            minutes=whole // 60, seconds=f"{whole % 60:02}"
        )
    return translate("Wording", "{hours} h {minutes} min").format(
        hours=whole // 3600, minutes=f"{whole % 3600 // 60:02}"
    )


def value_text(value: Value) -> str:
    """Return a parameter value as an editor shows it: ``3, 3``, ``0.001``, ``true``."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple):
        return ", ".join(value_text(part) for part in value)
    return repr(value) if isinstance(value, float) else str(value)


def number_text(value: float, *, digits: int) -> str:
    """Return a number with so many significant digits; a large one with all that stands before the
    point, up to where a power of ten is easier to read.
    """
    return f"{value:,.0f}" if _WHOLE <= abs(value) < _LARGE else f"{value:.{digits}g}"


def metric_text(value: float) -> str:
    """Return a metric or loss with four significant digits."""
    return f"{value:.4g}"
