"""Answer about the health of data: a check that goes on from question to question."""

from collections.abc import Generator
from pathlib import Path

import msgspec

from engine.data.health.health_check import HealthCheck
from engine.data.health.label_error import Chances
from engine.data.health.subject import open_subject
from engine.diagnostics import Diagnostic
from engine.query.health.chances import out_of_sample
from engine.query.health.request import CheckDataHealth, HealthStep
from engine.spec.codec import to_document
from engine.spec.run import RunSpec

_going_on: dict[bytes, HealthCheck] = {}
"""The check that was asked for last, by what was asked, until its report is told."""


def check_data_health(request: CheckDataHealth) -> HealthStep:
    """Return how far the check has come, and its report once it is done.

    Raises :class:`DiagnosticError` for data that cannot be loaded.
    """
    key = _key(request)
    check = _going_on.get(key)
    _going_on.clear()  # also where what follows breaks off: that begins anew
    if check is None or not check.is_current():
        check = _begin(request)
    is_whole = check.advance(request.seconds)
    if not is_whole:
        _going_on[key] = check
    return HealthStep(
        done=min(check.done, check.total),
        total=check.total,
        report=check.report() if is_whole else None,
    )


def _begin(request: CheckDataHealth) -> HealthCheck:
    subject = open_subject(request.data, request.code, is_weighted=request.is_weighted)
    if not request.project or subject.labels is None:
        return HealthCheck(subject)
    project = Path(request.project)

    def chances() -> Generator[int, None, tuple[Chances | None, tuple[Diagnostic, ...]]]:
        return out_of_sample(subject, project)

    return HealthCheck(subject, chances, subject.samples)


def _key(request: CheckDataHealth) -> bytes:
    spec = to_document(RunSpec(data=request.data))
    asked = (spec, request.project, request.code, request.is_weighted)
    return msgspec.json.encode(asked, order="sorted")
