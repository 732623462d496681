"""The port at which machines are to meet."""

import socket

import pytest

from engine.diagnostics import DiagnosticError
from engine.runs.machine.endpoint import require_free


@pytest.mark.fault("D01")
def test_that_a_port_that_is_taken_is_said_with_one_that_is_free() -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        with pytest.raises(DiagnosticError) as refusal:
            require_free("127.0.0.1", port)
    (problem,) = refusal.value.problems
    assert (problem.code, problem.params["port"]) == ("R192", port)
    free = problem.params["free"]
    assert isinstance(free, int)
    assert free > port
    require_free("127.0.0.1", free)


@pytest.mark.parametrize("host", ["192.0.2.1", "x" * 300])
def test_that_nothing_is_said_of_other_machines(host: str) -> None:
    require_free(host, 29500)
