"""Report of the doctor, as plain values."""

import msgspec

from engine.diagnostics import Diagnostic


class RuleResult(msgspec.Struct, frozen=True, kw_only=True):
    """One rule by its name, with what it found; nothing: all is well."""

    rule: str
    problems: tuple[Diagnostic, ...] = ()


class CheckUpReport(msgspec.Struct, frozen=True, kw_only=True):
    """A report. ``losses`` are those of one batch that was trained on again and again, the
    first before the first step; ``expected`` is the loss of guessing where it is known;
    ``samples_per_s`` how fast the data comes.
    """

    rules: tuple[RuleResult, ...]
    losses: tuple[float, ...] = ()
    expected: float | None = None
    samples_per_s: float = 0.0
