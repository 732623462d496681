"""Parsers of the commands: errors in one line, options anywhere among the arguments."""

import argparse
from collections.abc import Sequence
from typing import NoReturn

from typing_extensions import override

from studio.cli.help_words import HelpFormatter, usage_error
from studio.cli.output import write_error
from studio.cli.wording import said


class OneLineParser(argparse.ArgumentParser):
    """Says what is wrong in one line, and both that and help in the language of the terminal."""

    @override
    def error(self, message: str) -> NoReturn:
        told = usage_error(message)
        write_error(said("{told} (see {command} --help)", told=told, command=self.prog))
        raise SystemExit(2)

    @override
    def _get_formatter(self) -> argparse.HelpFormatter:
        return HelpFormatter(prog=self.prog)


class CommandParser(OneLineParser):
    """Takes options before, between and behind the other arguments of a command."""

    @override
    def parse_known_args(  # type: ignore[override]
        self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> tuple[argparse.Namespace, list[str]]:
        if namespace is not None or args is None:  # one of the passes of what follows
            return super().parse_known_args(args, namespace or argparse.Namespace())
        found, left = super().parse_known_args(args, argparse.Namespace())
        if "--" in args or not any(not each.startswith("-") for each in left):
            return found, left
        return self.parse_known_intermixed_args(args, argparse.Namespace())
