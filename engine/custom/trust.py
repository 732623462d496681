"""Trust in custom code: it is given to texts, by their hash, and to nothing else.

Whoever asks for something (the window through its host, the command line, the launch of a run) says
whether the user trusts the code of the graph; until then none of it runs.
"""

from collections.abc import Mapping

from engine.diagnostics import DiagnosticError
from engine.graph.code import code_digest
from engine.graph.shipped_code import is_shipped

_trusted: set[str] = set()


def set_trust(code: Mapping[str, str], *, trusted: bool) -> None:
    """Let these very texts run in this process from now on, or no longer."""
    if not code:
        return
    digest = code_digest(code)
    if trusted:
        _trusted.add(digest)
    else:
        _trusted.discard(digest)


def is_trusted(code: Mapping[str, str]) -> bool:
    """Return whether these texts may run here; there is nothing to ask where all of them ship with
    the program, or there are none.
    """
    return code_digest(code) in _trusted or is_shipped(code.values())


def require_trust(code: Mapping[str, str]) -> None:
    """Raise :class:`DiagnosticError` (U027) when these texts may not run here."""
    if not is_trusted(code):
        raise DiagnosticError.of("U027")
