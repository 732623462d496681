"""Roots of data that a command is told of: for it and for all processes that it starts."""

import os
from argparse import Namespace
from pathlib import Path

from engine.diagnostics import DiagnosticError
from engine.spec.data_root import environment_roots, require_root, root_variable
from studio.cli.output import summary
from studio.cli.parser import UsageError
from studio.cli.wording import said


def take_roots(options: Namespace) -> None:
    """Take the roots of ``--data ROOT=PATH`` into the environment. Paths are those of the terminal,
    but those of another machine (``--on``) are whole. Raises :class:`UsageError`.
    """
    roots: dict[str, str] = {}
    for text in options.roots:
        name, separator, path = text.partition("=")
        if not separator or not path:
            raise UsageError(
                said("--data {given}: expected ROOT=PATH, such as photos=/data/photos", given=text)
            )
        if not getattr(options, "on", ""):
            path = str(Path(path).expanduser().absolute())
        try:
            require_root(name, path)
        except DiagnosticError as error:
            raise UsageError(f"--data {text}: {summary(error.problems)}") from error
        roots[name] = path
    os.environ.update(root_variable(environment_roots() | roots))
