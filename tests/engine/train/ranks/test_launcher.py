"""Launcher of several processes."""

import inspect
import sys
from types import FunctionType

import pytest

from engine.train.ranks.launcher import name_callers


def _stack(names: bool) -> list[str]:
    if names:
        name_callers()
    return [frame.function for frame in inspect.stack()]


@pytest.mark.parametrize("is_named", [True, False])
def test_that_python_looks_for_no_caller_among_all_modules(monkeypatch, is_named):
    """PyTorch asks for the callers at each step of a rendezvous."""
    code = _stack.__code__.replace(co_filename=f"<of no module {is_named}>")
    stack = FunctionType(code, {**globals(), "__name__": "of_no_module"})
    asked = []
    monkeypatch.setattr(inspect, "ismodule", lambda found: asked.append(found) or False)
    assert stack(is_named)[0] == "_stack"
    assert (len(asked) < len(sys.modules)) is is_named
