"""No file over 500 lines, no function over 50: past that a second concept has moved in."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.statements import statements

ROOT = Path(__file__).parents[2]
FILES = sorted(
    path
    for folder in ("engine", "studio", "widgets", "tools", "tests", "benchmarks")
    for path in (ROOT / folder).rglob("*.py")
)


_BEGIN = re.compile(r"( *)(?:async def|def|class|@)")
_TEXT = re.compile(r"\"\"\"(.*?)\"\"\"|'''(.*?)'''", re.DOTALL)
MOST = 50


def may_be_long(source: str) -> bool:
    """Return whether a function of a source may have too many lines, as far as the beginnings of
    its lines tell: to take all sources apart takes seconds.
    """
    if any(
        _BEGIN.match(line) for text in _TEXT.findall(source) for line in "".join(text).split("\n")
    ):
        return True
    lines = source.split("\n")
    begins = [
        (number, len(at[1])) for number, line in enumerate(lines) if (at := _BEGIN.match(line))
    ]
    open_at: list[tuple[int, int]] = []
    for number, depth in [*begins, (len(lines), 0)]:
        while open_at and open_at[-1][1] >= depth:
            if number - open_at.pop()[0] > MOST:
                return True
        open_at.append((number, depth))
    return False


def oversized(source: str) -> Iterator[str]:
    """Yield what is too long in the source of a file."""
    if (lines := source.count("\n")) > 500:
        yield f"{lines} lines"
    for node in statements(source) if may_be_long(source) else ():
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            length = (node.end_lineno or node.lineno) - node.lineno + 1
            if length > MOST:
                yield f"{node.name} has {length} lines"


def test_that_files_and_their_functions_stay_small():
    assert len(FILES) > 1000
    large = {
        str(path.relative_to(ROOT)): list(oversized(path.read_text(encoding="utf-8")))
        for path in FILES
    }
    assert {name: parts for name, parts in large.items() if parts} == {}


def test_that_the_scan_sees_what_is_too_long():
    longest = "def f():\n" + "    pass\n" * 49
    assert list(oversized(longest * 10)) == []
    assert list(oversized(longest + "    pass\n")) == ["f has 51 lines"]
    assert list(oversized("\n" * 501)) == ["501 lines"]


@pytest.mark.parametrize(
    "around",
    [
        "class C:",
        "def g(): pass\nif g:\n    pass\nelse:",
        "try:\n    pass\nexcept OSError:",
        "try:\n    pass\nfinally:",
        "with x:",
        "match x:\n  case 1:",
    ],
)
def test_that_a_long_function_is_seen_wherever_it_stands(around):
    lines = ["def f():", *["    pass"] * 50]
    assert list(oversized("\n".join((around, *(f"    {line}" for line in lines))))) == [
        "f has 51 lines"
    ]
