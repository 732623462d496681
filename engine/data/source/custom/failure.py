"""Errors of the user's code that has samples, told with its file and line."""

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

from engine.catalog.spec import Entry
from engine.custom import watchdog
from engine.custom.module import SourceLines, custom_traceback, error_line
from engine.diagnostics import DiagnosticError
from engine.graph.code import code_digest

_LONGEST = 300
_DATA = "data.source"
_DATA_SECONDS, _SECONDS = 20.0, 10.0
"""Of the processor, that code may take at a time where it is tried: data sets, which may have much
to read when they are made or give some samples, and all else.
"""


@dataclass(frozen=True, kw_only=True)
class CustomCall:
    """A definition of the user's code that is called, and where its lines stand; ``setting`` is the
    one that names it.
    """

    entry: Entry
    code: Mapping[str, str]
    places: SourceLines = field(default_factory=dict[int, tuple[str, int]])
    setting: str = _DATA

    @property
    def seconds(self) -> float:
        """What it may take at a time where it is tried, of the processor."""
        return _DATA_SECONDS if self.setting == _DATA else _SECONDS

    @contextmanager
    def reported(self, problem: str, **params: str | float) -> Generator[None]:
        """Turn what the code raises into a finding with file and line (``problem``).

        Raises :class:`DiagnosticError` for code that was run before: D605 where it did not come to
        an end, D606 where it took the process down.
        """
        key = f"{self.entry.key}@{code_digest(self.code)}{watchdog.SEPARATOR}data"
        match watchdog.verdict(key):
            case watchdog.Verdict.STUCK:
                raise self.refusal("D605")
            case watchdog.Verdict.CRASHED:
                raise self.refusal("D606")
            case None:
                pass
        try:
            with watchdog.watched(key, self.seconds):
                yield
        except DiagnosticError:
            raise
        except (Exception, SystemExit) as error:
            raise self.failure(problem, error, **params) from error

    def failure(self, problem: str, error: BaseException, **params: str | float) -> DiagnosticError:
        """Return the finding for an error."""
        file, line = error_line(error, self.code, self.entry.target, self.places)
        text = (str(error) or type(error).__name__).splitlines()[0][:_LONGEST]
        return DiagnosticError.of(
            problem,
            field=self.setting,
            detail=custom_traceback(error, self.places),
            name=self.entry.label,
            error=type(error).__name__,
            reason=text,
            file=file,
            line=line,
            **params,
        )

    def refusal(self, problem: str, **params: str | float) -> DiagnosticError:
        """Return a finding about what the code gave, at its definition."""
        file, line = error_line(Exception(), self.code, self.entry.target, {})
        return DiagnosticError.of(
            problem, field=self.setting, name=self.entry.label, file=file, line=line, **params
        )
