"""Check of the transforms of evaluation: what these take away of true boxes and of masks."""

from collections.abc import Generator, Iterator, Mapping

import numpy as np

from engine.data.health.cut_probe import BoxFields, kept_boxes, kept_share
from engine.data.health.finding import MOST_SAMPLES, Shown, finding
from engine.data.health.subject import Subject
from engine.data.load.pixel_counts import mask_field
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
_LEAST_LOST = 0.05  # of the pixels of a mask: less is a matter of rounding


def evaluated_samples(subject: Subject) -> tuple[int, ...]:
    """Return the samples whose boxes or masks transforms of evaluation could take away."""
    source = subject.source
    chosen = enabled_transforms(subject.spec.transforms, is_training=False)
    is_moved = any(step.type not in _OF_VALUES for _, step in chosen)
    has_any = _box_fields(subject) is not None or mask_field(source) is not None
    if not is_moved or source.is_sequential or not has_any:
        return ()
    parts = (subject.indices[part].tolist() for part in _EVALUATED if part in subject.indices)
    return tuple(index for part in parts for index in part)


def check_cut(subject: Subject) -> Generator[int, None, tuple[HealthFinding, ...] | None]:
    """Return what the transforms of evaluation take away in validation and test: D670 for true
    boxes, D676 for those of which less than half is left, D677 for pixels of masks; None where
    nothing could be. Yields 1 after each sample that was read. Damaged files, and transforms that
    fail, are told elsewhere.
    """
    samples = evaluated_samples(subject)
    chain = _chain(subject) if samples else None
    fields, mask = _box_fields(subject), mask_field(subject.source)
    if chain is None:
        yield len(samples)
        return None
    lost, cut, hidden = dict[int, int](), dict[int, int](), dict[int, float]()
    true = 0
    for index in samples:
        try:
            sample = _sample(subject, index)
            with one_thread():
                if fields is not None:
                    left = kept_boxes(chain, fields, sample, index)
                    true += left.true
                    lost |= {index: left.lost} if left.lost else {}
                    cut |= {index: left.cut} if left.cut else {}
                elif mask is not None:
                    share = 1 - kept_share(chain, mask.name, sample, index)
                    hidden |= {index: share} if share > _LEAST_LOST else {}
        except DiagnosticError:
            pass  # told for the damaged file, or the transform
        yield 1
    boxes = ((code, found) for code, found in (("D670", lost), ("D676", cut)) if found)
    told = [
        _finding(subject, code, found, count=sum(found.values()), total=true)
        for code, found in boxes
    ]
    return (*told, *_of_masks(subject, hidden))


def _of_masks(subject: Subject, hidden: Mapping[int, float]) -> Iterator[HealthFinding]:
    if hidden:
        mean = sum(hidden.values()) / len(hidden)
        yield _finding(subject, "D677", hidden, share=round(100 * mean))


def _finding(
    subject: Subject, code: str, by_sample: Mapping[int, float], **params: int
) -> HealthFinding:
    steps = enabled_transforms(subject.spec.transforms, is_training=False)
    names = ", ".join(dict.fromkeys(step.type for _, step in steps if step.type not in _OF_VALUES))
    problem = Diagnostic(
        code=code,
        severity=Severity.WARNING,
        field="data.transforms",
        params={**params, "samples": len(by_sample), "names": names[:120]},
    )
    ordered = sorted(by_sample, key=lambda index: (-by_sample[index], index))
    shown = Shown(indices=ordered[:MOST_SAMPLES])
    return finding(problem, subject, shown, total=len(by_sample), surplus=np.sort(ordered).tolist())


def _sample(subject: Subject, index: int) -> Sample:
    return {name: rows[0] for name, rows in subject.source.read([index]).items()}


def _chain(subject: Subject) -> Chain | None:
    transforms = subject.spec.transforms
    chosen = enabled_transforms(transforms, is_training=False)
    try:
        steps = tuple(built_steps(transforms, chosen, subject.source.infos, subject.code))
    except DiagnosticError:
        return None  # the check of the transforms has the reason
    moving = tuple(step for step in steps if step.name not in _OF_VALUES)
    has_own = bool(build_chain(moving, ()).custom_steps)  # which may look at the masks of objects
    infos = subject.source.infos
    return build_chain(moving, (i for i in infos if has_own or i.kind != "box_masks"))


def _box_fields(subject: Subject) -> BoxFields | None:
    names = {info.kind: info.name for info in subject.source.infos}
    if "boxes" not in names:
        return None
    return BoxFields(
        boxes=names["boxes"],
        labels=names.get("box_classes", ""),
    )
