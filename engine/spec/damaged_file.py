"""Findings that end a run because a file of its data cannot be read."""

from engine.diagnostics import Diagnostic

_CODES = frozenset(
    ("D052", "D053", "D054", "D055", "D056", "D317", "D318", "D361", "D362", "D363", "D391", "D392")
)


def is_about_file(problem: Diagnostic) -> bool:
    """Return whether a finding is about one file of a sample, which could be left out."""
    return problem.code in _CODES and "file" in problem.params
