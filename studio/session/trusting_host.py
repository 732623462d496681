"""Says with each question whether the user trusts the own code that it is about."""

from concurrent.futures import Future
from typing import TypeVar

import msgspec

from engine.diagnostics import DiagnosticError
from engine.graph.model import Graph
from engine.query.ask import graph_of
from engine.query.request import Request
from studio.session.analyst import Host
from studio.session.trust import Trust

Answer = TypeVar("Answer")


class TrustingHost:
    """A host whose questions carry the user's trust: nobody who asks has to think of it."""

    def __init__(self, host: Host, trust: Trust) -> None:
        self._host = host
        self._trust = trust

    def request(self, request: Request[Answer]) -> "Future[Answer]":
        """Ask the host."""
        graph = _graph_of(request)
        if graph is not None and graph.code:
            is_of_run = request.custom_code == "run"
            rule = self._trust.covers_run if is_of_run else self._trust.covers
            request = msgspec.structs.replace(request, trusted=rule(graph.code))
        return self._host.request(request)


def _graph_of(request: Request[Answer]) -> Graph | None:
    """Return the graph that a question is about; what cannot be read is told by the answer."""
    try:
        return graph_of(request)
    except DiagnosticError:
        return None
