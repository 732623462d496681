"""Every row and fault of this part of the product has a test that carries its id."""

import ast
from functools import cache
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
ROWS = frozenset(
    """
P01 P02 P03 P04 P05 P06 P07 P08 P09 P10 P11 P12 P15 P16 P26 P29
N03 N04 N05 N10 N18 N22 N24 N25 N27 N28
S014 S015 S016 S017 S018 S019 S020 S021 S022 S023 S024 S025 S026 S027 S035
S058 S059 S060 S061 S062 S063 S064 S065 S066 S067 S068 S069 S070 S071 S072 S073 S074 S075 S076
S077 S078 S079 S080 S081 S082 S083 S084 S085 S086 S087 S088 S089 S090 S091 S092 S093 S094 S095 S096
S097 S098 S099 S100 S101 S102 S103 S104 S105 S106 S107 S108 S109 S110 S111 S112 S113 S114 S115
S116 S117 S118 S119 S120 S121 S122 S123 S124 S125 S126 S127 S128 S372
S323 S335 S336 S337 S338 S339 S340 S341 S342 S352 S353
S152 S153 S154 S155 S156 S163 S164 S165 S166 S175 S180 S183 S184 S185 S186 S192 S199 S200
S206 S207 S208 S215 S228 S229 S230 S231 S301
P21 P24 P33 N21 S150 S182 S237 S243 S244 S245 S248 S249 S250 S251 S252 S253 S254 S255 S256 S257 S258
S259 S260 S261 S262 S263 S264 S265 S266 S267 S268 S269 S270 S271 S272 S273 S274 S275 S276 S277 S278
S279 S280 S281 S282 S283 S284 S285 S286 S287 S288 S289 S290 S320 S321 S322 S345 S346 S347 S348 S349
S350
P13 P14 N14 S129 S130 S131 S132 S133 S134 S135 S136 S137 S138 S139 S140 S141 S142 S143 S144 S145
S146 S147 S148 S149 S151 S201 S291 S292 S293 S294 S295 S296 S297 S298 S299 S300 S302 S303 S304
S157 S158 S159 S160 S161 S162 S171 S172 S173 S174 S176 S177 S178 S179 S181 S187 S188 S189 S190
S191 S193
S194 S195 S196 S197 S198 S202 S203 S205 S209 S210 S211 S212 S213 S216 S217 S218 S222 S223 S224 S225
S226 S232 S233 S234 S235 S236 S238 S239 S240 S241 S246 P19 P22 P25 N08 N16
S318 S319 S325 S326 S327 S328 S329 S330 S331 S332 S333 S334 S343 S371 S373
""".split()  # noqa: SIM905 - as the table is read
)
FAULTS = frozenset(
    """
F01 F03 F04 F05 F06 F07 F08 F09 F10 F11 F12 F13 F14 F15 F16 F17 F18 F19 F20 F21 F22 F27
B01 B02 B04 B05 B06 B07 B08 B09 B10 B11 B12 B13 S01 S02 S08 S10 U01 U02 U06 U07
""".split()  # noqa: SIM905
)


def carried(mark: str) -> set[str]:
    """Return the ids on all ``pytest.mark.<mark>(...)`` of the tests."""
    return {
        item.value
        for call in _marks()
        if call.func.attr == mark
        for item in call.args
        if isinstance(item, ast.Constant)
    }


@cache
def _marks() -> list[ast.Call]:
    """Return all calls that may be marks; reading all tests takes a while."""
    contents = [file.read_bytes() for file in TESTS.rglob("test_*.py")]
    return [
        call
        for content in contents
        if b"mark.row(" in content or b"mark.fault(" in content
        for call in ast.walk(ast.parse(content))
        if isinstance(call, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and call.func.attr in ("row", "fault")
    ]


@pytest.mark.parametrize(("mark", "ids"), [("row", ROWS), ("fault", FAULTS)], ids=["row", "fault"])
def test_that_every_id_has_a_test(mark: str, ids: frozenset[str]) -> None:
    assert ids - carried(mark) == set()
