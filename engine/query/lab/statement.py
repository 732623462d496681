"""Running typed code one statement after the other, in a namespace of its own.

The code is what the user typed, or a lesson of the product; it runs only in the lab's own process.
"""

import ast
import contextlib
import io
import logging
import random
import warnings
from collections.abc import Callable, Generator, Iterator
from typing import Any

import numpy as np
import torch
from typing_extensions import override

from engine.diagnostics import Diagnostic, DiagnosticError, Severity
from engine.inspect.explanation import explain, explain_warning
from engine.query.lab.request import LineOutput, LineProblem

_FILE = "<lab>"
_VALUE = "__value__"
_LONGEST = 4000
_MOST_PRINTED = 20_000  # characters in one run

Namespace = dict[str, Any]


def new_namespace() -> Namespace:
    """Return what code finds when it begins: ``torch``, with its defaults and seed 0, which
    ``random`` and NumPy have, too.
    """
    torch.set_default_dtype(torch.float32)
    torch.set_default_device(None)
    torch.set_grad_enabled(True)
    torch.set_anomaly_enabled(False)
    torch.set_printoptions(profile="default")
    torch.use_deterministic_algorithms(mode=False)
    torch.manual_seed(0)
    random.seed(0)
    np.random.seed(0)
    for handler in list(logging.root.handlers):  # logging.warning keeps where it wrote first
        if isinstance(getattr(handler, "stream", None), Printed):
            logging.root.removeHandler(handler)
    return {"__name__": "__main__", "torch": torch}


def value_of(expression: str, namespace: Namespace) -> Any:
    """Return the value of an expression. Raises :class:`DiagnosticError` with what is wrong."""
    try:
        tree = ast.parse(expression.strip(), _FILE, "eval")
        return _value(tree, namespace)
    except BaseException as error:
        raise DiagnosticError(explain(error)) from error


def shown(value: object) -> str:
    """Return a value as Python shows it, cut where it is long."""
    text = sendable(repr(value))
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


class Execution:
    """One run of code. ``on_line`` hears the line of each statement before it runs; ``after``
    is called behind each with the namespace.
    """

    def __init__(
        self,
        namespace: Namespace,
        on_line: Callable[[int], object] = lambda _: None,
        after: Callable[[Namespace], object] = lambda _: None,
    ) -> None:
        self._namespace = namespace
        self._on_line = on_line
        self._after = after
        self._line = 0
        self._values: list[LineOutput] = []
        self.problems: list[LineProblem] = []
        self._printed = Printed(lambda: self._line)

    def outputs(self) -> tuple[LineOutput, ...]:
        """Return what was printed and what expressions gave, by line."""
        collected = sorted(
            [*self._printed.outputs(), *self._values],
            key=lambda each: (each.line, not each.is_printed),
        )
        return tuple(collected)

    def run(self, code: str) -> None:
        """Run code up to its end or its first error; ``problems`` say what was wrong."""
        try:
            statements = ast.parse(code, _FILE).body
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            self.fail(error, getattr(error, "lineno", 0) or 0)
            return
        with self._listening():
            for statement in statements:
                self._line = statement.lineno
                self._on_line(self._line)
                try:
                    self._run(statement)
                    self._after(self._namespace)
                except BaseException as error:  # noqa: BLE001 - whatever the user's code raises
                    self.fail(error, _line_of(error) or self._line)
                    break
        if self._printed.lost:
            problem = Diagnostic(
                code="L006", severity=Severity.WARNING, params={"count": f"{self._printed.lost:,}"}
            )
            self.problems.append(LineProblem(line=0, problem=problem))

    def do(self, work: Callable[[], object]) -> None:
        """Do something that code of the user may be called by; tell what it prints and warns of."""
        with self._listening():
            try:
                work()
            except DiagnosticError as error:
                self.problems += [LineProblem(line=0, problem=each) for each in error.problems]
            except BaseException as error:  # noqa: BLE001 - whatever the user's hooks raise
                self.fail(error, _line_of(error))

    def fail(self, error: BaseException, line: int) -> None:
        """Note an error."""
        self.problems.append(LineProblem(line=line, problem=explain(error)))

    def _run(self, statement: ast.stmt) -> None:
        if isinstance(statement, ast.Expr):
            value = _value(ast.Expression(statement.value), self._namespace)
            if value is not None:
                self._values.append(LineOutput(line=self._line, text=shown(value)))
        else:
            _execute(ast.Module([statement], []), self._namespace)

    @contextlib.contextmanager
    def _listening(self) -> Generator[None]:
        with (
            warnings.catch_warnings(record=True) as caught,
            contextlib.redirect_stdout(self._printed),
            contextlib.redirect_stderr(self._printed),
        ):
            warnings.simplefilter("always")
            yield
        for each in _distinct(caught):
            self.problems.append(each)


def _distinct(caught: list[warnings.WarningMessage]) -> Iterator[LineProblem]:
    seen = set[tuple[str, int]]()
    for warning in caught:
        text, line = str(warning.message), warning.lineno if warning.filename == _FILE else 0
        if (text, line) not in seen:
            seen.add((text, line))
            yield LineProblem(line=line, problem=explain_warning(text))


def _line_of(error: BaseException) -> int:
    """Return the innermost line of the typed code that an error came through."""
    line, step = 0, error.__traceback__
    while step is not None:
        if step.tb_frame.f_code.co_filename == _FILE:
            line = step.tb_lineno
        step = step.tb_next
    return line


def _value(expression: ast.Expression, namespace: Namespace) -> Any:
    target = ast.copy_location(ast.Name(_VALUE, ast.Store()), expression.body)
    assignment = ast.copy_location(ast.Assign([target], expression.body), expression.body)
    _execute(ast.fix_missing_locations(ast.Module([assignment], [])), namespace)
    return namespace.pop(_VALUE)


def _execute(tree: ast.Module, namespace: Namespace) -> None:
    exec(compile(tree, _FILE, "exec"), namespace)  # noqa: S102 - this is what the lab is for


def sendable(text: str) -> str:
    """Return a text with halves of characters, which nobody can encode, replaced."""
    return text.encode(errors="replace").decode()


class Printed(io.TextIOBase):
    """Stands in for ``sys.stdout`` and ``sys.stderr``; ``line`` says which statement is at work."""

    def __init__(self, line: Callable[[], int]) -> None:
        super().__init__()
        self._line = line
        self._texts: dict[int, list[str]] = {}
        self._room = _MOST_PRINTED
        self.lost = 0

    @override
    def writable(self) -> bool:
        return True

    @override
    def write(self, text: str, /) -> int:
        kept = sendable(text[: self._room])
        self._room -= len(kept)
        self.lost += len(text) - len(kept)
        if kept:
            self._texts.setdefault(self._line(), []).append(kept)
        return len(text)

    def outputs(self) -> list[LineOutput]:
        """Return what was kept of it, by the line of the statement that printed it."""
        return [
            LineOutput(line=line, text="".join(texts).rstrip("\n"), is_printed=True)
            for line, texts in self._texts.items()
        ]
