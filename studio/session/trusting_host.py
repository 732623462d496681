"""Says with each question whether the user trusts the own code that it is about."""

from collections.abc import Mapping
from concurrent.futures import Future
from typing import TypeVar

import msgspec

from engine.diagnostics import DiagnosticError
from engine.query.ask import codes_of
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
        codes = _codes_of(request)
        if any(codes):
            is_of_run = request.custom_code in ("run", "runs", "texts")
            rule = self._trust.covers_run if is_of_run else self._trust.covers
            request = msgspec.structs.replace(request, trusted=all(map(rule, codes)))
        return self._host.request(request)


def _codes_of(request: Request[Answer]) -> tuple[Mapping[str, str], ...]:
    """Return the custom code of a question; what cannot be read is told by the answer."""
    try:
        return codes_of(request)
    except DiagnosticError:
        return ()
