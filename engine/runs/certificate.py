"""Certificate of a run: that a resumed process computes the same bits as one that went on.

It is a file of the run; nothing else of the run depends on it.
"""

import hashlib
import math
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from engine.decoding import decode_json
from engine.diagnostics import Diagnostic
from engine.events import Clock
from engine.files import NOTE_BYTES, UNDECODABLE, atomic_write, read_file
from engine.graph.code import runs_code
from engine.runs.document import FORMAT
from engine.runs.folder import RunDocument
from engine.runs.record.trace import (
    TRACED_PARTS,
    TracedPart,
    TracedStep,
    read_trace,
    value_key,
    values_file,
)
from engine.spec.custom_code import uses_code

if TYPE_CHECKING:
    import numpy.typing as npt

NAME = "certificate.json"
FEWEST_STEPS, MOST_STEPS = 1, 10_000


class Difference(msgspec.Struct, frozen=True, kw_only=True):
    """The first value that differs: of which step, what it is called, by how much at most (None
    where the values were too large to keep, or are no numbers), and in how many of its elements.
    """

    step: int
    part: TracedPart
    name: str
    amount: float | None = None
    elements: int = 0
    of: int = 0


class Certificate(msgspec.Struct, frozen=True, kw_only=True):
    """What a comparison found. One process took the steps after ``first`` up to ``last``, from
    ``checkpoint``; another one resumed after step ``resumed``. ``values`` counts what was compared
    in all those steps, by part. Without a ``difference`` all are equal; else ``reason`` is the
    probable one. ``weights`` is a digest of the weights at the end. The rest is where it was
    measured; ``time`` is wall-clock seconds.
    """

    time: Clock
    checkpoint: str
    first: int
    resumed: int
    last: int
    values: dict[TracedPart, int]
    weights: str = ""
    difference: Difference | None = None
    reason: Diagnostic | None = None
    device: str = ""
    processes: int = 1
    workers: int = 0
    threads: int = 0
    system: str = ""
    versions: dict[str, str] = {}

    @property
    def steps(self) -> int:
        """Steps after the resume that were compared."""
        return self.last - self.resumed

    @property
    def is_equal(self) -> bool:
        """Whether every bit is the same."""
        return self.difference is None


class _File(msgspec.Struct, frozen=True, kw_only=True):
    format: int
    certificate: Certificate


def read_certificate(run: Path) -> Certificate | None:
    """Return the certificate of the run in a folder; None without one, or where it is damaged."""
    try:
        content = read_file(run / NAME, NOTE_BYTES, follow=False)
        return decode_json(content, _File).certificate
    except (OSError, ValueError, *UNDECODABLE):
        return None


def write_certificate(run: Path, certificate: Certificate) -> None:
    """Keep a certificate with the run in a folder, in the place of an earlier one. Raises
    :class:`DiagnosticError` where it cannot be written.
    """
    atomic_write(run / NAME, msgspec.json.encode(_File(format=FORMAT, certificate=certificate)))


class Comparison(msgspec.Struct, frozen=True, kw_only=True):
    """What two traces have in common: the last step that was compared, how many values by part, the
    first difference, and a digest of the weights at the end.
    """

    last: int
    values: dict[TracedPart, int]
    difference: Difference | None
    weights: str


def compare_traces(unbroken: Path, resumed: Path) -> Comparison:
    """Compare a trace with one that begins later, step by step up to the first difference."""
    ones, others = read_trace(unbroken), read_trace(resumed)
    counts: dict[TracedPart, int] = dict.fromkeys(TRACED_PARTS, 0)
    last, difference = 0, None
    for step, other in sorted(others.items()):
        one = ones.get(step)
        if one is None:  # the process that went on ended earlier
            difference = Difference(step=step, part="loss", name="loss")
            break
        last = step
        for part, digests in other.digests.items():
            counts[part] += len(digests)
        if (found := _first_difference(one, other)) is not None:
            difference = _measured(found, unbroken, resumed)
            break
    longer = [step for step in ones if step > last]
    if difference is None and longer:
        difference = Difference(step=min(longer), part="loss", name="loss")
    weights = ones[last].digests.get("model", {}) if last in ones else {}
    return Comparison(last=last, values=counts, difference=difference, weights=_joined(weights))


def probable_reason(document: RunDocument, difference: Difference, device: str) -> Diagnostic:
    """Return what a difference most likely comes from."""
    spec, graph = document.spec, document.graph
    has_code = runs_code(graph)
    if difference.part == "batch" and (has_code or uses_code(spec.data)):
        return Diagnostic(code="R452")
    if not spec.deterministic:
        return Diagnostic(code="R453", field="deterministic")
    if has_code or uses_code(spec.data):
        return Diagnostic(code="R455")
    if spec.compute.compile:
        return Diagnostic(code="R457", field="compute.compile")
    return Diagnostic(code="R454" if device != "cpu" else "R456", params={"device": device})


def _first_difference(one: TracedStep, other: TracedStep) -> Difference | None:
    for part in TRACED_PARTS:
        ours, theirs = one.digests.get(part, {}), other.digests.get(part, {})
        if part not in other.digests:
            continue
        for name in dict.fromkeys([*theirs, *ours]):
            if ours.get(name) != theirs.get(name):
                return Difference(step=one.step, part=part, name=name)
    return None


def _measured(found: Difference, unbroken: Path, resumed: Path) -> Difference:
    """Return a difference with its size, where the values were kept."""
    import numpy as np

    key = value_key(found.part, found.name)
    arrays: list[npt.NDArray[np.generic]] = []
    for trace in (unbroken, resumed):
        try:
            with np.load(values_file(trace, found.step), allow_pickle=False) as values:
                arrays.append(values[key])
        except (OSError, ValueError, KeyError):
            return found
    one, other = arrays
    if one.shape != other.shape or one.dtype.kind not in "fiub" or other.dtype.kind not in "fiub":
        return found
    ours, theirs = one.astype(np.float64), other.astype(np.float64)
    is_other = ~((ours == theirs) | (np.isnan(ours) & np.isnan(theirs)))
    amount = float(np.max(np.abs(ours - theirs), initial=0.0, where=is_other))
    return msgspec.structs.replace(
        found,
        amount=amount if math.isfinite(amount) else None,
        elements=int(np.count_nonzero(is_other)),
        of=int(one.size),
    )


def _joined(digests: dict[str, str]) -> str:
    lines = "\n".join(f"{name} {digest}" for name, digest in sorted(digests.items()))
    return hashlib.blake2b(lines.encode(), digest_size=16).hexdigest() if digests else ""
