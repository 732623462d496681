"""Findings about the health of data, as plain values (the window shows them without torch)."""

from typing import Literal

import msgspec

from engine.diagnostics import Diagnostic
from engine.graph.repair.case import RepairProposal

THUMBNAIL_SIDE = 96
"""Rows and columns of the pictures in :class:`SampleEvidence`."""

LabelBasis = Literal["folds", "part", "none"]
"""What label errors were looked for in: all samples that runs of folds had not trained on, a part
that the last run had not trained on, or nothing.
"""


class SampleEvidence(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A sample that shows a finding: its index in the source and the name that edits call it by, a
    short text of it, its class, what a model takes it for, and its part (empty for none). Samples
    of the same ``group`` (-1 for none) belong together. ``pixels`` is its picture,
    :data:`THUMBNAIL_SIDE` rows of as many pixels, red, green and blue a byte each; empty without
    one. ``boxes`` are those on the picture that the finding is about, else all of them: left, top,
    right and bottom as shares of it, with the numbers of their classes.
    """

    index: int
    name: str = ""
    text: str = ""
    label: str = ""
    predicted: str = ""
    part: str = ""
    group: int = -1
    pixels: bytes = b""
    boxes: tuple[tuple[float, float, float, float, int], ...] = ()


class HealthFinding(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What is wrong, with ``samples`` of the ``total`` that show it. ``surplus`` are the indices of
    those that could be left out, all of them: copies, but not the first of each.
    """

    problem: Diagnostic
    total: int = 0
    samples: tuple[SampleEvidence, ...] = ()
    surplus: tuple[int, ...] = ()
    repairs: tuple[RepairProposal, ...] = ()


class CheckResult(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One check by its name, with what it found; nothing: all is well."""

    check: str
    findings: tuple[HealthFinding, ...] = ()


class HealthReport(msgspec.Struct, frozen=True, kw_only=True):
    """The checks that the data allows, in the order in which they were made. ``label_samples`` of
    the ``samples`` were looked through for label errors.
    """

    samples: int
    checks: tuple[CheckResult, ...]
    label_basis: LabelBasis = "none"
    label_samples: int = 0

    @property
    def findings(self) -> tuple[HealthFinding, ...]:
        """All findings, the worst first."""
        order = ("error", "warning", "hint")
        found = [finding for result in self.checks for finding in result.findings]
        return tuple(sorted(found, key=lambda each: order.index(each.problem.severity)))
