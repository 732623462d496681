"""The log of a run is read as it grows, never more than a bound at a time."""

from engine.runs.record.log import GAP, LogTail


def test_that_lines_are_told_once_as_they_come(tmp_path):
    path = tmp_path / "log.txt"
    tail = LogTail(path)
    assert tail.read() == ()
    path.write_bytes(b"one\ntwo\n")
    assert tail.read() == ("one", "two")
    assert tail.read() == ()
    with path.open("ab") as file:
        file.write("drei ä\r\nfo".encode())
    assert tail.read() == ("drei ä",)
    with path.open("ab") as file:
        file.write(b"ur\n")
    assert tail.read() == ("four",)


def test_that_a_last_line_without_an_end_is_told_when_nothing_follows(tmp_path):
    path = tmp_path / "log.txt"
    path.write_bytes(b"epoch 1: 10%\repoch 1: 90%")
    tail = LogTail(path)
    assert tail.read() == ()
    assert tail.read() == ("epoch 1: 90%",)
    assert tail.read() == ()


def test_that_of_a_long_log_only_the_end_is_read(tmp_path):
    path = tmp_path / "log.txt"
    path.write_text("".join(f"line {at}\n" for at in range(10_000)))
    tail = LogTail(path, limit=50)
    assert tail.read() == (GAP, "line 9996", "line 9997", "line 9998", "line 9999")
    with path.open("a") as file:
        file.write("".join(f"more {at}\n" for at in range(1000)))
    lines = tail.read()
    assert (lines[0], lines[-1], len(lines)) == (GAP, "more 999", 6)


def test_that_a_log_begun_anew_is_read_from_its_start(tmp_path):
    path = tmp_path / "log.txt"
    path.write_text("a long first line\n")
    tail = LogTail(path)
    tail.read()
    path.write_text("new\n")
    assert tail.read() == ("new",)


def test_that_bytes_that_are_no_text_and_lines_without_end_do_no_harm(tmp_path):
    path = tmp_path / "log.txt"
    path.write_bytes(b"\xff\xfe caf\xe9\n" + b"x" * 300)
    tail = LogTail(path, limit=100)
    assert tail.read() == (GAP,)
    path.write_bytes(b"\xff!\n")
    assert tail.read() == ("\ufffd!",)
