"""A process that works at one request, whatever becomes of it."""

import sys

import pytest

from engine.query.landscape.request import LandscapeFailed, LandscapeProgress, RaceFunction
from engine.runtime.job.request_job import LandscapeJob

WHOLE = b'{"type":"LandscapeProgress","phase":"race"}\n'


@pytest.mark.real
@pytest.mark.parametrize("words", [b"", WHOLE, WHOLE + WHOLE[:20]])
def test_that_a_process_that_ends_before_its_end_is_told_of(words):
    told = []
    text = f"import sys; sys.stdin.readline(); sys.stdout.buffer.write({words!r})"
    request = RaceFunction(function="beale", racers=())
    job = LandscapeJob(request, told.append, command=(sys.executable, "-c", text))
    job.start()
    job.wait()
    *before, last = told
    assert before == [LandscapeProgress(phase="race")] * (len(words) // len(WHOLE))
    assert type(last) is LandscapeFailed
    assert last.problems[0].code == "V020"
