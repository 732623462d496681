"""Help and wrong usage in the language of the terminal.

``argparse`` writes both from the English texts of the options. :class:`HelpFormatter` writes their
translations instead, in lines that count the columns of a terminal: a letter of East Asia takes
two, and a line may end after any of them. Names of commands, options and values stay as they are.
"""

import argparse
import re
from collections.abc import Iterable, Iterator

from typing_extensions import override

from studio.cli.output import columns
from studio.cli.wording import said, worded

HEADINGS = ("positional arguments", "options", "usage: ", "show this help message and exit")
"""Texts of ``argparse`` itself in help."""

_USAGE_ERRORS = (
    "the following arguments are required: {names}",
    "one of the arguments {names} is required",
    "unrecognized arguments: {names}",
    "expected one argument",
    "expected at least one argument",
    "expected at most one argument",
    "not allowed with argument {name}",
    "ignored explicit argument {value}",
    "ambiguous option: {name} could match {names}",
    "invalid choice: {value} (choose from {names})",
    "invalid int value: {value}",
    "invalid float value: {value}",
)
"""What ``argparse`` says of wrong usage, after the argument that it is about."""

_ARGUMENT = re.compile(r"argument (?P<name>[^:]+): (?P<text>.*)", re.DOTALL)
_PIECES = re.compile(r"[\u2e80-\u9fff\uff00-\uffef]|[^\s\u2e80-\u9fff\uff00-\uffef]+|\s+")
_HEADING = re.compile(r"^([\u4e00-\u9fff]+):$", re.MULTILINE)
_NO_START = frozenset("，。；：、）！？”》…·")  # what never begins a line
_NO_END = frozenset("（“《")


class HelpFormatter(argparse.HelpFormatter):
    """Writes help in the language of the terminal."""

    @override
    def add_usage(
        self,
        usage: str | None,
        actions: Iterable[argparse.Action],
        groups: Iterable["argparse._MutuallyExclusiveGroup"],  # pyright: ignore[reportPrivateUsage]
        prefix: str | None = None,
    ) -> None:
        super().add_usage(usage, actions, groups, worded("usage: ") if prefix is None else prefix)

    @override
    def add_text(self, text: str | None) -> None:
        super().add_text(text and worded(text))

    @override
    def start_section(self, heading: str | None) -> None:
        super().start_section(heading and worded(heading))

    @override
    def format_help(self) -> str:
        return _HEADING.sub("\\1：", super().format_help())

    @override
    def _get_help_string(self, action: argparse.Action) -> str | None:
        return action.help and worded(action.help)

    @override
    def _split_lines(self, text: str, width: int) -> list[str]:
        text = " ".join(text.split())
        return super()._split_lines(text, width) if text.isascii() else list(wrapped(text, width))

    @override
    def _fill_text(self, text: str, width: int, indent: str) -> str:
        lines = self._split_lines(text, width - len(indent))
        return "\n".join(indent + line for line in lines)


def wrapped(text: str, width: int) -> Iterator[str]:
    """Yield the lines of a text, each at most ``width`` columns where its words allow it."""
    line = ""
    for piece in _unbroken(text):
        if line and columns(line + piece.rstrip()) > width:
            yield line.rstrip()
            line = piece.lstrip()
        else:
            line += piece
    if line:
        yield line.rstrip()


def _unbroken(text: str) -> Iterator[str]:
    """Yield the pieces between which a line may end: words, spaces, letters of East Asia with the
    punctuation that belongs to them.
    """
    whole = ""
    for piece in _PIECES.findall(text):
        if whole and not (piece[0] in _NO_START or whole[-1] in _NO_END):
            yield whole
            whole = ""
        whole += piece
    yield whole


def usage_error(message: str) -> str:
    """Return what ``argparse`` says of wrong usage in the language of the terminal."""
    of_argument = _ARGUMENT.fullmatch(message)
    if of_argument is not None:
        reason = _error_text(of_argument["text"])
        return said("argument {name}: {reason}", name=of_argument["name"], reason=reason)
    return _error_text(message)


def _error_text(message: str) -> str:
    for text in _USAGE_ERRORS:
        pattern = re.sub(r"\\{(\w+)\\}", r"(?P<\1>.*)", re.escape(text))
        found = re.fullmatch(pattern, message, re.DOTALL)
        if found is not None:
            return said(text, **found.groupdict())
    return message
