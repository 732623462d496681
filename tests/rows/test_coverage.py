"""Every row and fault of this part of the product has a test that carries its id."""

import ast
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
ROWS = frozenset(
    """
P01 P02 P03 P04 P05 P06 P07 P08 P12 P15 P16 P26 P29 N03 N22 N25 N28
S058 S059 S060 S061 S062 S063 S064 S065 S066 S067 S068 S069 S070 S103 S110 S113
S152 S153 S154 S155 S156 S163 S164 S165 S166 S175 S180 S183 S184 S185 S186 S192 S199 S200
S206 S207 S208 S215 S228 S229 S230 S231 S301
""".split()  # noqa: SIM905 - as the table is read
)
FAULTS = frozenset(
    """
F01 F03 F05 F06 F11 F13 F14 F16 F17 B01 B02 B05 B07 B08 B09 B13 S01 S02 S08 S10 U01 U02 U06 U07
""".split()  # noqa: SIM905
)


def carried(mark: str) -> set[str]:
    """Return the ids on all ``pytest.mark.<mark>(...)`` of the tests."""
    found: set[str] = set()
    for file in TESTS.rglob("test_*.py"):
        for call in ast.walk(ast.parse(file.read_bytes())):
            if (
                isinstance(call, ast.Call)
                and isinstance(call.func, ast.Attribute)
                and call.func.attr == mark
            ):
                found |= {item.value for item in call.args if isinstance(item, ast.Constant)}
    return found


@pytest.mark.parametrize(("mark", "ids"), [("row", ROWS), ("fault", FAULTS)], ids=["row", "fault"])
def test_that_every_id_has_a_test(mark: str, ids: frozenset[str]) -> None:
    assert ids - carried(mark) == set()
