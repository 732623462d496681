"""What a command writes: tables that fit a terminal."""

import pytest

from studio.cli.output import write_table


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
