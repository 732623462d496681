import gc
import sys
from types import SimpleNamespace

from studio import collector, guard


def test_that_the_collector_leaves_out_what_was_made_during_the_start():
    before = gc.get_freeze_count()
    collector.rest()
    try:
        assert not gc.isenabled()
    finally:
        collector.resume()
    assert gc.isenabled()
    assert gc.get_freeze_count() > before
    gc.unfreeze()


def test_that_resuming_a_collector_at_work_leaves_it_as_it_is():
    before = gc.get_freeze_count()
    collector.resume()
    assert gc.isenabled()
    assert gc.get_freeze_count() == before


def test_that_the_collector_rests_when_the_window_is_made(monkeypatch):
    seen: list[bool] = []
    window = SimpleNamespace(main=lambda _project: seen.append(gc.isenabled()) or 0)
    monkeypatch.setitem(sys.modules, "studio.app", window)
    try:
        assert guard._open_window([]) == 0
    finally:
        collector.resume()
        gc.unfreeze()
    assert seen == [False]
