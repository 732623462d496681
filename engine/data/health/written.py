"""Check of texts: samples in which nothing is written."""

from collections.abc import Generator

import numpy as np

from engine.data.health.finding import of_indices
from engine.data.health.subject import BLOCK, Subject
from engine.diagnostics import Severity
from engine.spec.health import HealthFinding


def text_names(subject: Subject) -> tuple[str, ...]:
    """Return the inputs that are texts."""
    return tuple(info.name for info in subject.source.infos if info.role == "input" and info.words)


def check_texts(subject: Subject) -> Generator[int, None, tuple[HealthFinding, ...] | None]:
    """Return D219 for samples without a text; None where the inputs are none. Yields how many
    samples were looked at.
    """
    names = text_names(subject)
    if not names:
        return None
    empty: list[int] = []
    for start in range(0, subject.samples, BLOCK):
        indices = range(start, min(start + BLOCK, subject.samples))
        empty += [
            index
            for index in indices
            if subject.is_included[index]
            and not any(subject.source.text(name, index).strip() for name in names)
        ]
        yield len(indices)
    if not empty:
        return ()
    found = of_indices("D219", Severity.WARNING, subject, np.array(empty, np.int64))
    return (found,)
