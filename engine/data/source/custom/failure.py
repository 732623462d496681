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
_SECONDS = 20.0
"""Of the processor, that code may take in the host at a time: making, or reading some samples."""


@dataclass(frozen=True, kw_only=True)
class CustomCall:
    """A definition of the user's code that is called, and where its lines stand; ``setting`` is the
    one that names it.
    """

    entry: Entry
    code: Mapping[str, str]
    places: SourceLines = field(default_factory=dict[int, tuple[str, int]])
    setting: str = "data.source"

    @contextmanager
    def reported(self, problem: str, **params: str | float) -> Generator[None]:
        """Turn what the code raises into a finding with file and line (``problem``).

        Raises :class:`DiagnosticError`, D269 for code that did not come to an end, or took the
        process down, when it was run before.
        """
        key = f"{self.entry.key}@{code_digest(self.code)}{watchdog.SEPARATOR}data"
        if watchdog.verdict(key) is not None:
            raise DiagnosticError.of("D269", field=self.setting, name=self.entry.label)
        try:
            with watchdog.watched(key, _SECONDS):
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
