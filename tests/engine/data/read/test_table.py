"""Tables of the user: formats, encodings, kinds of columns, and files that are none."""

import gzip
import io
import os
import re
import threading
import zipfile
from pathlib import Path

import pytest

from engine.data.read import stream, table
from engine.data.read.table import detect_format, read_head, read_table
from engine.diagnostics import DiagnosticError, sentence
from engine.sandbox import child
from engine.spec.table import TableOptions
from tests.table_files import database, open_document, workbook
from tests.unconfined import unconfine


@pytest.fixture(autouse=True)
def _read_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Start no process in the first layer of tests."""
    unconfine(monkeypatch)


def write(folder: Path, content: str | bytes, name: str = "table.csv") -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def cells(path: Path, **options: str) -> dict[str, list[str]]:
    table = read_table(path, TableOptions(**options))
    return {column.name: list(column.cells()) for column in table.columns}


def code_of(path: Path, **options: str) -> str:
    with pytest.raises(DiagnosticError) as caught:
        read_table(path, TableOptions(**options))
    problem = caught.value.problems[0]
    for language in ("en", "zh_CN"):
        assert "{" not in sentence(problem, language)
    return problem.code


@pytest.mark.fault("B11")
@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("gb18030", "姓名,年龄,城市,类别\n" + "张三,25,北京,高\n李四,31,上海,低\n" * 9),
        ("big5", "姓名,年齡,城市,類別\n" + "張三,25,臺北,高\n李四,31,高雄,低\n" * 9),
        ("shift_jis", "名前,年齢,都市\n" + "田中,25,東京\n鈴木さん,31,大阪\n" * 9),
        ("cp1252", "Name;Größe\n" + "Müller;1,85\nJörg;1,70\nRené;1,60\n" * 9),
        ("cp1251", "имя;возраст;город\n" + "Иван;25;Москва\nОльга;31;Казань\n" * 9),
        ("utf-8-sig", "Stadt,Größe\n" + "Köln,3\nBonn,4\n" * 9),
        ("utf-16", "Name\tWert\r\n" + "Ärger\t1,5\r\nÖl\t2,5\r\n" * 9),
        ("utf-16-le", "a;b\r\n" + "1;x\r\n2;y\r\n" * 9),
        ("utf-8", "名,值\n" + "甲,1\n乙,2\n" * 9),
    ],
)
def test_that_a_file_is_read_in_the_encoding_that_it_was_written_in(tmp_path, encoding, text):
    path = write(tmp_path, text.encode(encoding))
    lines = text.splitlines()
    table = cells(path)
    delimiter = next(mark for mark in "\t;," if mark in lines[0])
    assert list(table) == lines[0].split(delimiter)
    assert [*zip(*table.values(), strict=True)] == [tuple(x.split(delimiter)) for x in lines[1:]]


@pytest.mark.fault("B11")
@pytest.mark.parametrize(
    ("encoding", "header"),
    [
        *(
            ("gb18030", names)
            for names in ("日期,长度", "姓名,年龄", "价格,x", "类别,x", "星期一,x")
        ),
        *(
            ("gb18030", names)
            for names in ("是否违约,收入", "血糖,年龄", "房屋面积,楼层", "用户编号,x")
        ),
        *(("big5", names) for names in ("日期,長度", "是否購買,x", "標籤,檔名", "血壓,年齡")),
        *(("shift_jis", names) for names in ("日付,長さ", "価格,x", "購入,x", "ラベル,重さ")),
        *(("euc_jp", names) for names in ("名前,年齢", "カテゴリ,x")),
        *(("euc_kr", names) for names in ("이름,나이", "가격,x", "종류,x", "만족도,성별")),
        *(("cp1252", names) for names in ("Größe,x", "année,prix", "señor,x", "Länge,Wert")),
        ("cp1251", "имя,возраст"),
        ("cp1250", "město,věk"),
    ],
)
def test_that_the_names_of_columns_alone_say_the_encoding(tmp_path, encoding, header):
    path = write(tmp_path, (header + "\n" + "1,2\n3,4\n" * 20).encode(encoding))
    assert list(cells(path)) == header.split(",")


def test_that_letters_far_behind_the_start_say_the_encoding_too(tmp_path):
    rows = ["plain,1"] * 60_000 + ["北京,2", "上海,3"] * 3
    path = write(tmp_path, "\n".join(["city,n", *rows]).encode("gb18030"))
    assert read_head(path).format.encoding == "utf-8"
    assert cells(path)["city"][-2:] == ["北京", "上海"]


@pytest.mark.fault("B11")
def test_that_a_wrong_encoding_is_told_and_not_read_as_rubbish(tmp_path):
    path = write(tmp_path, "ort,n\nKöln,1\n".encode("cp1252"))
    assert code_of(path, encoding="utf-8") == "D030"
    assert code_of(path, encoding="rot13") == "D037"
    assert code_of(write(tmp_path, b"town,n\nBonn,1\nUlm,22\n"), encoding="utf-16") == "D622"
    path = write(tmp_path, "ort,n\nKöln,1\n".encode("cp1252"))
    for setting in ("encoding", "delimiter"):
        with pytest.raises(
            DiagnosticError, match=f"@@.* data.source.{setting}.* auto .*(utf-8|comma)"
        ):
            read_head(path, TableOptions(**{setting: "@@"}))
    assert cells(path, encoding="latin-1")["ort"] == ["Köln"]


def test_that_quoted_cells_may_have_line_ends_delimiters_and_quotes(tmp_path):
    path = write(tmp_path, 'a,text\r\n1,"one\r\ntwo, ""three"""\r\n2,plain\r\n')
    table = read_table(path)
    assert list(table.columns[1].cells()) == ['one\r\ntwo, "three"', "plain"]
    assert table.lines.tolist() == [2, 4]


@pytest.mark.parametrize(
    ("text", "names", "first"),
    [
        ("a,b\n1,2\n3,4\n", ["a", "b"], ["1", "2"]),
        ("a\tb\n1,5\tx y\n3,5\tz\n", ["a", "b"], ["1,5", "x y"]),
        ("a|b\n1|2\n3|4\n", ["a", "b"], ["1", "2"]),
        ("sep=;\na;b\n1;2\n3;4\n", ["a", "b"], ["1", "2"]),
        ("Report of May\n\na;b;c\n1;2;3\n4;5;6\n7;8;9\n", ["a", "b", "c"], ["1", "2", "3"]),
        ("# made by x\na,b,c\n1,2,3\n4,5,6\n7,8,9\n", ["a", "b", "c"], ["1", "2", "3"]),
        ("a,b,\n1,2,\n3,4,\n", ["a", "b", "column 3"], ["1", "2", ""]),
        ("a,b\n1,2,\n3,4,\n", ["a", "b", "column 3"], ["1", "2", ""]),
        ('"a" "b"\n"1" 2.5 3\n"2" 3.5 4\n"3" 1 1\n', ["column 1", "a", "b"], ["1", "2.5", "3"]),
        ("  1.5   2\n 10.0   3\n  7.25 4\n", ["column 1", "column 2"], ["1.5", "2"]),
        ("a,a,,b\n1,2,3,4\n", ["a", "a 2", "column 3", "b"], ["1", "2", "3", "4"]),
        ("'a';'b'\n'x;1';2\n'y';3\n", ["a", "b"], ["x;1", "2"]),
        ("a, b\n1, x\n2, y\n", ["a", "b"], ["1", "x"]),
        ("n,1990,1991\nx,5.5,6\ny,7,8\n", ["n", "1990", "1991"], ["x", "5.5", "6"]),
        ("a,b\r1,2\r3,4\r", ["a", "b"], ["1", "2"]),
        ("x\n1\n2\n", ["x"], ["1"]),
        ("text\nYes, sir\nNo\nWell, well, well\n", ["text"], ["Yes, sir"]),
    ],
)
def test_that_delimiter_header_and_quotes_are_found(tmp_path, text, names, first):
    table = cells(write(tmp_path, text))
    assert list(table) == names
    assert [column[0] for column in table.values()] == first


def test_that_what_the_user_says_of_a_format_goes_before_what_is_found(tmp_path):
    path = write(tmp_path, "a,b;c\n1,2;3\n4,5;6\n")
    assert list(cells(path, delimiter="semicolon")) == ["a,b", "c"]
    assert list(cells(path, delimiter=",")) == ["a", "b;c"]
    assert len(cells(path, delimiter=";", header="no")["column 1"]) == 3
    assert code_of(path, delimiter="abc") == "D037"


@pytest.mark.fault("B10", "B11")
def test_that_a_row_with_another_number_of_cells_is_named(tmp_path):
    path = write(tmp_path, "a,b\n" + "1,2\n" * 5000 + "1,2,3\n" + "1,2\n" * 10)
    with pytest.raises(DiagnosticError) as caught:
        read_table(path)
    problem = caught.value.problems[0]
    assert problem.code == "D027"
    assert problem.params["row"] == 5002
    assert (problem.params["cells"], problem.params["columns"]) == (3, 2)


@pytest.mark.fault("B11")
@pytest.mark.parametrize(
    ("content", "code"),
    [
        ("", "D023"),
        ("\n\n\n", "D023"),
        ("a,b,c\n", "D623"),
        (b"\x89PNG\r\n\x1a\n0000", "D022"),
        (b"%PDF-1.7 1 0 obj", "D022"),
        (b"\x89HDF\r\n\x1a\n", "D022"),
        ("<!DOCTYPE html><html></html>", "D022"),
        (bytes(range(256)) * 8, "D022"),
        (b"PK\x03\x04 cut off", "D033"),
        (b"PAR1 no parquet PAR1", "D033"),
        (b"SQLite format 3\0 no database", "D033"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600, "D033"),
        (b"\x1f\x8b\x08 cut off", "D033"),
        (gzip.compress(b"a,b\n1,2\n" * 900, mtime=0)[:-20], "D033"),
        ('a,b\n1,"never closed\n' + "x" * 200_000, "D036"),
        ('{"a": 1}\n{"a": 2}\n[3]\n', "D042"),
        (",".join("x" * 100_001), "D038"),
    ],
)
def test_that_a_file_that_is_no_table_is_told_in_a_sentence(tmp_path, content, code):
    assert code_of(write(tmp_path, content)) == code


@pytest.mark.fault("B11")
def test_that_very_many_columns_are_told_without_a_number_that_is_not_theirs(tmp_path):
    row = ",".join(["column"] * 400_000)
    with pytest.raises(DiagnosticError) as caught:
        detect_format(write(tmp_path, f"{row}\n{row}\n"))
    (problem,) = caught.value.problems
    assert problem.code == "D038"
    assert re.findall(r"\d[\d,]+", sentence(problem, "en").split("”")[1]) == ["100,000"]


@pytest.mark.fault("B13")
def test_that_a_path_in_chinese_with_spaces_is_read(tmp_path):
    folder = tmp_path / "我的 数据 (%41) #1?"
    folder.mkdir()
    assert cells(write(folder, "甲,乙\n1,2\n", "表 格.csv")) == {"甲": ["1"], "乙": ["2"]}
    path = database(folder / "库 #1?.db", {"表": ("数 INTEGER", [[1], [2]])})
    assert cells(path) == {"数": ["1", "2"]}


@pytest.mark.fault("F08", "B04")
def test_that_what_cannot_be_opened_is_told(tmp_path):
    assert code_of(tmp_path / "gone.csv") == "D020"
    assert code_of(tmp_path) == "D443"
    assert code_of(tmp_path / "nul\0.csv") == "D021"
    if os.name == "posix":
        loop = tmp_path / "loop.csv"
        loop.symlink_to(loop)
        assert code_of(loop) == "D021"
        os.mkfifo(tmp_path / "pipe.csv")
        assert code_of(tmp_path / "pipe.csv") == "D021"
        assert code_of(Path("/dev/zero")) == "D021"


@pytest.mark.fault("B06")
def test_that_a_gzip_is_unpacked_no_further_than_memory_goes(tmp_path, monkeypatch):
    rows = "a,b\n" + "1,2\n" * 1000
    assert len(cells(write(tmp_path, gzip.compress(rows.encode()), "t.csv.gz"))["a"]) == 1000
    monkeypatch.setattr(stream, "most_bytes", lambda: 1 << 20)
    bomb = gzip.compress(b"a,b\n" + b"1,2\n" * (1 << 19))
    assert len(bomb) < 1 << 16
    assert code_of(write(tmp_path, bomb, "bomb.csv.gz")) == "D031"
    endless = gzip.compress(b"0" * (1 << 22))
    assert code_of(write(tmp_path, endless, "line.csv.gz")) in ("D031", "D036")


@pytest.mark.fault("B06")
def test_that_a_workbook_that_unpacks_to_a_hundred_times_its_size_is_refused_unread(tmp_path):
    made = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(workbook({"s": [["a", "b"], [1, 2]]}))) as old,
        zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as new,
    ):
        for name in old.namelist():
            new.writestr(name, old.read(name).replace(b"</sheetData>", b" " * (1 << 27)))
    assert len(made.getvalue()) < 1 << 18
    assert code_of(write(tmp_path, made.getvalue(), "bomb.xlsx")) == "D148"


@pytest.mark.parametrize("last", [b"", b"1,2\n"], ids=["one", "several"])
def test_that_a_gzip_that_does_not_fit_is_refused_before_a_row_is_taken_apart(
    tmp_path, monkeypatch, last
):
    def never(path, form):
        raise AssertionError

    monkeypatch.setattr(stream, "most_bytes", lambda: 3 << 20)
    monkeypatch.setitem(table.READERS, "csv", never)
    large = gzip.compress(b"a,b\n" + b"1,2\n" * (1 << 20))
    packed = large + (gzip.compress(last) if last else b"")
    assert code_of(write(tmp_path, packed, "large.csv.gz")) == "D031"


def test_that_a_table_that_does_not_fit_is_refused_before_it_is_read(tmp_path, monkeypatch):
    path = write(tmp_path, "a,b\n" + "1,2\n" * 1000)
    monkeypatch.setattr(stream, "most_bytes", lambda: 1000)
    assert code_of(path) == "D031"


def test_that_a_file_that_changes_while_it_is_read_is_told(tmp_path):
    path = write(tmp_path, "a,b\n" + "1,2\n" * 10)

    def read() -> None:
        with stream.opened(path) as source:
            source.read()
            with path.open("ab") as more:
                more.write(b"3,4\n")

    with pytest.raises(DiagnosticError) as caught:
        read()
    assert caught.value.problems[0].code == "D035"


def test_that_the_head_of_a_text_reads_no_more_than_it_shows(tmp_path, monkeypatch):
    path = write(tmp_path, "a,b\n" + "1,2\n" * 400_000)
    read = 0
    inner = stream.open_file

    def counted(file: Path):
        source = inner(file)
        whole = source.read

        class Counted:
            def __getattr__(self, name):
                return getattr(source, name)

            def __enter__(self):
                return self

            def __exit__(self, *_):
                source.close()

            def read(self, count=-1):
                nonlocal read
                content = whole(count)
                read += len(content)
                return content

        return Counted()

    monkeypatch.setattr(stream, "open_file", counted)
    head = read_head(path)
    assert len(head.rows) == 200
    assert not head.is_complete
    assert read < path.stat().st_size / 2


def test_that_rows_longer_than_the_first_look_are_seen_all_the_same(tmp_path):
    row = ",".join(f"{1.25:.48f}" for _ in range(3000))
    head = read_head(write(tmp_path, "\n".join([row] * 4)))
    assert len(head.columns) == 3000
    assert len(head.rows) == 4


def test_that_json_lines_have_the_names_of_all_their_objects(tmp_path):
    text = '{"a": 1, "b": "x"}\n\n{"a": 2.5, "c": true}\n{"b": null, "a": 3, "d": [1, 2]}\n'
    path = write(tmp_path, text, "data.jsonl")
    assert cells(path) == {
        "a": ["1", "2.5", "3"],
        "b": ["x", "", ""],
        "c": ["", "true", ""],
        "d": ["", "", "[1,2]"],
    }
    assert read_table(path).lines.tolist() == [1, 3, 4]
    assert detect_format(path).kind == "jsonl"


def test_that_a_sheet_of_a_workbook_is_read_below_its_title(tmp_path):
    rows = [
        ["Sales of May"],
        [None],
        ["day", "sold", "is open"],
        [45000, 2.5, True],
        [45001, 3, False],
    ]
    content = workbook({"Empty": [], "May 五月": rows, "June": [["x"], [1]]})
    path = write(tmp_path, content, "book.xls")  # the name says nothing
    assert cells(path) == {
        "day": ["45000", "45001"],
        "sold": ["2.5", "3"],
        "is open": ["true", "false"],
    }
    assert read_table(path).lines.tolist() == [4, 5]
    assert read_head(path).format.sheets == ("Empty", "May 五月", "June")
    assert cells(path, sheet="June") == {"x": ["1"]}
    assert code_of(path, sheet="July") == "D041"


def test_that_a_table_behind_notes_is_what_is_read(tmp_path):
    notes, rows = [["Read me first"], ["by the office"]], [["a", "b"], [1, 2], [3, 4]]
    book = write(tmp_path, workbook({"Notes": notes, "Data": rows, "More": [["x"], [1]]}), "b.xlsx")
    version = ("name TEXT, value TEXT", [["version", "1"]])
    table = ("a INTEGER, b INTEGER", [[1, 2], [3, 4]])
    base = database(tmp_path / "b.db", {"meta": version, "data": table, "more": table})
    for path in (book, base):
        assert cells(path) == {"a": ["1", "3"], "b": ["2", "4"]}
        assert read_head(path).format.sheet.lower() == "data"
    assert cells(book, sheet="Notes") == {"Read me first": ["by the office"]}
    assert cells(base, sheet="meta") == {"name": ["version"], "value": ["1"]}


def test_that_an_open_document_is_read_and_a_password_is_told(tmp_path):
    rows = [["甲", "b"], ["1", "x & y"], ["2", "z"]]
    assert cells(write(tmp_path, open_document(rows))) == {"甲": ["1", "2"], "b": ["x & y", "z"]}
    assert code_of(write(tmp_path, open_document(rows, has_password=True))) == "D034"
    locked = (
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(504) + "EncryptedPackage".encode("utf-16-le")
    )
    assert code_of(write(tmp_path, locked)) == "D034"


@pytest.mark.parametrize("kind", ["parquet", "feather"])
def test_that_parquet_and_feather_are_read_by_column(tmp_path, kind):
    pa = pytest.importorskip("pyarrow")
    from pyarrow import feather, parquet

    made = pa.table(
        {
            "n": [1, None, 3],
            "name": ["Zoë", "", None],
            "x": [0.5, 2.0, 1e-5],
            "is": [True, None, False],
            "kind": pa.array(["u", "v", "u"]).dictionary_encode(),
            "list": [[1], None, [2]],
        }
    )
    path = tmp_path / "table.bin"
    (parquet.write_table if kind == "parquet" else feather.write_feather)(made, path)
    table = cells(path)
    assert table["n"] == ["1", "", "3"]
    assert table["name"] == ["Zoë", "", ""]
    assert [float(cell) for cell in table["x"]] == [0.5, 2.0, 1e-5]
    assert table["is"] == ["true", "", "false"]
    assert table["kind"] == ["u", "v", "u"]
    assert table["list"] == ["", "", ""]
    assert read_head(path).columns[0].kind == "number"


def test_that_without_pyarrow_a_sentence_says_what_to_install(tmp_path, monkeypatch):
    import sys

    monkeypatch.delitem(sys.modules, "engine.sandbox.parquet", raising=False)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert code_of(write(tmp_path, b"PAR1 0000 PAR1")) == "D032"
    monkeypatch.delitem(sys.modules, "engine.sandbox.parquet", raising=False)
    assert child.reader_of("spreadsheet")


def test_that_a_database_gives_a_plain_table_and_carries_nothing_out(tmp_path):
    import sqlite3

    path = database(
        tmp_path / "data.db",
        {
            'odd "name"; DROP TABLE b': ('a INTEGER, "b c" TEXT', [[1, "x"], [2, None], [3, b"y"]]),
            "zoo": ("n REAL", [[1.5]]),
        },
    )
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE VIEW a_view AS SELECT 1")
    connection.close()
    before = path.read_bytes()
    assert cells(path) == {"a": ["1", "2", "3"], "b c": ["x", "", ""]}
    assert cells(path, sheet="zoo") == {"n": ["1.5"]}
    assert code_of(path, sheet="a_view") == "D041"
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["data.db"]


@pytest.mark.real
@pytest.mark.parametrize("kind", ["workbook", "parquet"])
def test_that_a_confined_process_reads_what_strangers_made(tmp_path, monkeypatch, kind):
    from engine.sandbox import reading

    monkeypatch.undo()
    assert reading.ask.__module__ == "engine.sandbox.reading"
    if kind == "workbook":
        path = write(tmp_path, workbook({"One": [["a", "b"], [1, "x"], [2, "y"]]}))
    else:
        pa = pytest.importorskip("pyarrow")
        from pyarrow import parquet

        path = tmp_path / "t.parquet"
        parquet.write_table(pa.table({"a": [1, 2], "b": ["x", "y"]}), path)
    assert cells(path) == {"a": ["1", "2"], "b": ["x", "y"]}


@pytest.mark.real
def test_that_a_package_beside_pyarrow_that_cannot_be_read_is_no_damage(tmp_path, monkeypatch):
    """Pyarrow imports pandas where it finds it; the confined process may not read it."""
    import json

    from engine.sandbox import reading

    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    monkeypatch.undo()
    (tmp_path / "pandas").mkdir()
    (tmp_path / "pandas" / "__init__.py").write_text("raise OSError('taken in')\n")
    folders, packages = json.loads(reading.package_folders())
    places = json.dumps([[str(tmp_path), *folders], packages])
    monkeypatch.setattr(reading, "package_folders", lambda: places)
    parquet.write_table(pa.table({"a": [1, 2], "b": ["x", "y"]}), tmp_path / "t.parquet")
    assert cells(tmp_path / "t.parquet") == {"a": ["1", "2"], "b": ["x", "y"]}


@pytest.mark.real
def test_that_a_sheet_of_more_cells_than_memory_is_refused(tmp_path, monkeypatch):
    monkeypatch.undo()
    content = workbook({"One": [["a", "b"], [1, 2]]})
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(made, "w") as new:
        for name in old.namelist():
            new.writestr(name, old.read(name).replace(b'r="B2"', b'r="XFD1048576"'))
    assert code_of(write(tmp_path, made.getvalue(), "wide.xlsx")) == "D033"
    assert threading.active_count() < 20
