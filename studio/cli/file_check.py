"""Look at some files of data before anybody trains on them: damaged ones are named."""

from collections.abc import Mapping, Sequence
from itertools import islice

import msgspec

from engine.diagnostics import Diagnostic, Severity
from engine.query.data.request import DrawSamples
from engine.spec.data import DataInfo
from engine.spec.run import DataSpec
from studio.cli.asking import ask

_COUNT = 64  # samples of a part, from all over it: of small data all
_MOST_TOLD = 5
_OF_FILES = "D"  # what begins the code of a finding about data


def damaged_files(
    spec: DataSpec, info: DataInfo, code: Mapping[str, str], known: Sequence[Diagnostic]
) -> tuple[Diagnostic, ...]:
    """Return why some samples cannot be read, without what is ``known``; of data in memory, and of
    those whose split is wrong, nothing.
    """
    if info.is_in_memory or any(each.severity is Severity.ERROR for each in known):
        return ()
    told = {msgspec.json.encode(problem) for problem in known}
    found: dict[bytes, Diagnostic] = {}
    for part in info.splits:
        if part.name != "new" and part.samples:
            count = min(_COUNT, part.samples)
            drawn = ask(DrawSamples(data=spec, split=part.name, count=count, code=dict(code)))
            found |= {msgspec.json.encode(problem): problem for problem in drawn.problems}
    fresh = (
        problem
        for text, problem in found.items()
        if text not in told and problem.code.startswith(_OF_FILES)
    )
    return tuple(islice(fresh, _MOST_TOLD))
