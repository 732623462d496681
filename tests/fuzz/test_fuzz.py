"""No damaged file ends in a traceback, hangs, takes the memory or reaches outside.

Each reader reads damaged copies of real files in a process of its own (:mod:`tests.fuzz.__main__`
tells what counts as a finding). The same cases come in every run of the tests; the nightly run has
others each night and a hundred thousand of them.
"""

import json
import os
import time
from pathlib import Path

import pytest

from tests.fuzz.data_readers import DATA_READERS
from tests.fuzz.file_readers import FILE_READERS
from tests.fuzz.readers import READERS
from tests.fuzz.run_readers import RUN_READERS
from tests.plain_python import PlainPython

ROOT = Path(__file__).parents[2]
NIGHTLY = 100_000
GROUPS = {
    "programs": ("program",),
    "weights": ("checkpoint", "weights", "safetensors", "adapter", "parts", "pixels"),
    "data": tuple(reader.name for reader in (*DATA_READERS, *FILE_READERS)),
    "runs": ("run", "journal", *(reader.name for reader in RUN_READERS)),
    "tables": ("workbook", "parquet"),
}
"""Readers that load PyTorch, or start a process for each file; all others are a group too. A group
shares a process.
"""
GROUPS["documents"] = tuple(set(READERS) - {name for group in GROUPS.values() for name in group})
COUNTS = {"programs": 20, "weights": 50, "runs": 50, "tables": 3, "documents": 125, "data": 100}

pytestmark = pytest.mark.skipif(os.name != "posix", reason="counts the processor's time by signals")


CODE = "import runpy; runpy.run_module('tests.fuzz', run_name='__main__', alter_sys=True)"


def fuzz(plain_python: PlainPython, readers: tuple[str, ...], count: int, seed: int) -> list[dict]:
    """Return what was found by each reader."""
    counts = (f"--count={count}", f"--seed={seed}")
    done = plain_python.run(*counts, *readers, code=CODE, folder=ROOT, path=[ROOT])
    found = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    ended = f"ended with {done.returncode} after {found[-1:]}\n{done.stderr[-4000:]}"
    assert len(found) == len(readers), ended
    return found


@pytest.mark.parametrize("group", sorted(GROUPS))
def test_that_no_damaged_file_harms_who_reads_it(group, plain_python):
    found = fuzz(plain_python, tuple(sorted(GROUPS[group])), COUNTS[group], seed=0)
    assert [one for one in found if one["findings"]] == []


@pytest.mark.nightly
@pytest.mark.timeout(0)
@pytest.mark.parametrize("name", sorted(READERS))
def test_that_none_of_a_hundred_thousand_does(name, plain_python, record_property):
    found = fuzz(plain_python, (name,), NIGHTLY // len(READERS) + 1, seed=int(time.time()))
    record_property("found", json.dumps(found))
    assert found[0]["findings"] == []
