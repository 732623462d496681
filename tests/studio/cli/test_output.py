"""What a command writes: tables that fit a terminal."""

import pytest

from engine.diagnostics import Diagnostic
from studio.cli.output import in_words, summary, write_table


def test_that_columns_for_which_there_is_no_room_go_on_below(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    names = [f"fold {number}" for number in range(1, 13)]
    rows = [("metric", *names), ("test.loss", *(f"0.{number:04}" for number in range(12)))]
    write_table(rows, wraps=True)
    text = capsys.readouterr().out
    lines = text.splitlines()
    assert max(map(len, lines)) <= 40
    assert [name for name in names if name not in text] == []
    assert all(line.startswith(("metric", "test.loss")) for line in lines if line)
    write_table(rows)
    assert len(capsys.readouterr().out.splitlines()) == 2


def test_that_a_line_of_errors_tells_three_and_how_many_more_there_are() -> None:
    found = [Diagnostic.of("R219"), Diagnostic.of("R503", epoch=1), Diagnostic.of("R505")]
    assert summary(tuple(found)) == " ".join(map(in_words, found))
    more = (*found, Diagnostic.of("R506"), Diagnostic.of("R205"))
    assert summary(more) == " ".join(map(in_words, found)) + " (+2 more)"
