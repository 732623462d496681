"""Check of the transforms of evaluation: true boxes that these take away."""

from collections.abc import Generator, Iterator

import numpy as np

from engine.data.health.finding import MOST_SAMPLES, Shown, finding
from engine.data.health.subject import Subject
from engine.data.seed import one_thread
from engine.data.source.source import Part
from engine.data.transform.chain import Chain, build_chain
from engine.data.transform.plan import built_steps
from engine.data.transform.step import Sample
from engine.diagnostics import Diagnostic, DiagnosticError, Severity
from engine.spec.health import HealthFinding
from engine.spec.transform_outline import enabled_transforms

_EVALUATED: tuple[Part, ...] = ("validation", "test")
_OF_VALUES = frozenset(("ToDtype", "Normalize"))  # which leave every pixel where it is


def evaluated_samples(subject: Subject) -> tuple[int, ...]:
    """Return the samples whose boxes transforms of evaluation could take away."""
    source = subject.source
    chosen = enabled_transforms(subject.spec.transforms, is_training=False)
    is_moved = any(step.type not in _OF_VALUES for _, step in chosen)
    if not is_moved or source.is_sequential or _boxes_name(subject) is None:
        return ()
    parts = (subject.indices[part].tolist() for part in _EVALUATED if part in subject.indices)
    return tuple(index for part in parts for index in part)


def check_cut_boxes(subject: Subject) -> Generator[int, None, tuple[HealthFinding, ...] | None]:
    """Return D670 for true boxes of validation and test that the transforms of evaluation take
    away; None where none could be. Yields 1 after each sample that was read. Damaged files, and
    transforms that fail, are told elsewhere.
    """
    samples = evaluated_samples(subject)
    chain = _chain(subject) if samples else None
    name = _boxes_name(subject)
    if chain is None or name is None:
        yield len(samples)
        return None
    lost: dict[int, int] = {}
    true = 0
    for index in samples:
        counts = _counts(subject, chain, name, index)
        true += counts[0]
        if counts[1] < counts[0]:
            lost[index] = counts[0] - counts[1]
        yield 1
    return tuple(_findings(subject, lost, true))


def _findings(subject: Subject, lost: dict[int, int], true: int) -> Iterator[HealthFinding]:
    if not lost:
        return
    steps = enabled_transforms(subject.spec.transforms, is_training=False)
    names = ", ".join(dict.fromkeys(step.type for _, step in steps if step.type not in _OF_VALUES))
    problem = Diagnostic(
        code="D670",
        severity=Severity.WARNING,
        field="data.transforms",
        params={
            "count": sum(lost.values()),
            "total": true,
            "samples": len(lost),
            "names": names[:120],
        },
    )
    ordered = sorted(lost, key=lambda index: (-lost[index], index))
    shown = Shown(indices=ordered[:MOST_SAMPLES])
    yield finding(problem, subject, shown, total=len(lost), surplus=np.sort(ordered).tolist())


def _chain(subject: Subject) -> Chain | None:
    transforms = subject.spec.transforms
    chosen = enabled_transforms(transforms, is_training=False)
    try:
        steps = tuple(built_steps(transforms, chosen, subject.source.infos, subject.code))
    except DiagnosticError:
        return None  # the check of the transforms has the reason
    return build_chain(
        (step for step in steps if step.name not in _OF_VALUES), subject.source.infos
    )


def _counts(subject: Subject, chain: Chain, name: str, index: int) -> tuple[int, int]:
    """Return how many boxes a sample has before and after the transforms."""
    try:
        values = subject.source.read([index])
        sample: Sample = {each: rows[0] for each, rows in values.items()}
        with one_thread():
            after = chain.apply(sample, 0, 0, index)
    except DiagnosticError:
        return 0, 0  # told for the damaged file, or the transform
    return len(sample[name]), len(after[name])


def _boxes_name(subject: Subject) -> str | None:
    infos = subject.source.infos
    return next((info.name for info in infos if info.kind == "boxes"), None)
