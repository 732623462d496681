"""Rewriting of the asserts of tests, shared by the processes that collect them.

pytest keeps what it rewrote beside each file. Where nothing is kept yet, processes that collect the
same files at the same time each rewrite all of them, which takes longer than the collection itself.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from _pytest.assertion.rewrite import (
    PYC_TAIL,
    _rewrite_test,
    _write_pyc,
    assertstate_key,
    get_cache_dir,
    try_makedirs,
)

from tests.layers import holds_layer

HERE = Path(__file__).parent


def share_rewriting(config: pytest.Config) -> None:
    """In one of several processes, rewrite what nobody has rewritten of the tests asked for."""
    worker = getattr(config, "workerinput", None)
    if worker is None or sys.dont_write_bytecode:
        return
    asked = {Path(config.invocation_params.dir, arg.partition("::")[0]) for arg in config.args}
    layer = config.option.markexpr
    files = [
        file
        for file in sorted(HERE.rglob("test_*.py"))
        if holds_layer(file, layer) and not asked.isdisjoint((file, *file.parents))
    ]
    index = int(worker["workerid"].removeprefix("gw"))
    rewrite_in_turn(config, files, index, worker["workercount"])


def rewrite_in_turn(config: pytest.Config, files: Sequence[Path], index: int, count: int) -> int:
    """Rewrite files of which nothing is kept, and keep it; return how many they were.

    Process ``index`` of ``count`` begins in a part of its own, and finds done what others did. What
    is kept of a file that was changed afterwards is left to the import of the file.
    """
    state = config.stash.get(assertstate_key, None)
    if state is None:  # asserts are not rewritten at all
        return 0
    begin, done = len(files) * index // count, 0
    for file in (*files[begin:], *files[:begin]):
        kept = get_cache_dir(file) / (file.name.removesuffix(".py") + PYC_TAIL)
        if not kept.exists() and try_makedirs(kept.parent):
            digest, code = _rewrite_test(file, config)
            done += _write_pyc(state, code, digest, kept)
    return done
