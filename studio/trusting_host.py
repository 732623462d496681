"""Says with each question whether the user trusts the own code that it is about."""

from concurrent.futures import Future
from pathlib import Path
from typing import TypeVar

import msgspec

from engine.diagnostics import DiagnosticError
from engine.graph.model import Graph
from engine.query.results.request import ModelRequest
from engine.runs.folder import RunFolder
from engine.runtime.protocol import Evaluate, Export, Request
from studio.analyst import Host
from studio.trust import Trust

Answer = TypeVar("Answer")
RunRequest = Evaluate | Export | ModelRequest


class TrustingHost:
    """A host whose questions carry the user's trust: nobody who asks has to think of it."""

    def __init__(self, host: Host, trust: Trust) -> None:
        self._host = host
        self._trust = trust

    def request(self, request: Request[Answer]) -> "Future[Answer]":
        """Ask the host."""
        graph = _graph_of(request)
        if graph is not None and graph.code:
            is_of_run = isinstance(request, RunRequest)
            rule = self._trust.covers_run if is_of_run else self._trust.covers
            request = msgspec.structs.replace(request, trusted=rule(graph.code))
        return self._host.request(request)


def _graph_of(request: Request[Answer]) -> Graph | None:
    """Return the graph that a question is about; what cannot be read is told by the answer."""
    if isinstance(request, RunRequest):
        try:
            return RunFolder.open(Path(request.run_folder)).document.graph
        except DiagnosticError:
            return None
    found = getattr(request, "graph", None)
    return found if isinstance(found, Graph) else None
