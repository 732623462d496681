"""Files with tables as programs write them, for tests of their readers."""

import io
import sqlite3
import zipfile
from collections.abc import Sequence
from pathlib import Path
from xml.sax.saxutils import escape

_TYPES = (
    '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Override'
    ' PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.'
    'spreadsheetml.sheet.main+xml"/></Types>'
)
_RELATIONS = '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"

Rows = Sequence[Sequence[object]]


def workbook(sheets: dict[str, Rows]) -> bytes:
    """Return an xlsx file; of a cell that is None there is nothing in it."""
    names = list(sheets)
    members = {
        "[Content_Types].xml": _TYPES,
        "_rels/.rels": f'{_RELATIONS}<Relationship Id="rId1" Type="{_OFFICE}/officeDocument"'
        ' Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}"><sheets>'
        + "".join(
            f'<sheet name="{escape(name)}" sheetId="{number}" r:id="rId{number}"/>'
            for number, name in enumerate(names, start=1)
        )
        + "</sheets></workbook>",
        "xl/_rels/workbook.xml.rels": _RELATIONS
        + "".join(
            f'<Relationship Id="rId{number}" Type="{_OFFICE}/worksheet"'
            f' Target="worksheets/sheet{number}.xml"/>'
            for number in range(1, len(names) + 1)
        )
        + "</Relationships>",
    }
    for number, name in enumerate(names, start=1):
        members[f"xl/worksheets/sheet{number}.xml"] = _sheet(sheets[name])
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in members.items():
            archive.writestr(name, f'<?xml version="1.0" encoding="UTF-8"?>{text}')
    return content.getvalue()


def open_document(cells: Rows, *, has_password: bool = False) -> bytes:
    """Return an ods file of text cells, marked as one with a password where it is wanted."""
    urn = "urn:oasis:names:tc:opendocument:xmlns"
    lock = "<manifest:encryption-data/>" if has_password else ""
    rows = "".join(
        "<table:table-row>"
        + "".join(
            f'<table:table-cell office:value-type="string"><text:p>{escape(str(value))}</text:p>'
            "</table:table-cell>"
            for value in row
        )
        + "</table:table-row>"
        for row in cells
    )
    members = {
        "mimetype": "application/vnd.oasis.opendocument.spreadsheet",
        "META-INF/manifest.xml": f'<manifest:manifest xmlns:manifest="{urn}:manifest:1.0">'
        '<manifest:file-entry manifest:full-path="content.xml" manifest:media-type="text/xml">'
        f"{lock}</manifest:file-entry></manifest:manifest>",
        "content.xml": f'<office:document-content xmlns:office="{urn}:office:1.0"'
        f' xmlns:table="{urn}:table:1.0" xmlns:text="{urn}:text:1.0"><office:body>'
        f'<office:spreadsheet><table:table table:name="S">{rows}</table:table>'
        "</office:spreadsheet></office:body></office:document-content>",
    }
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name, text in members.items():
            archive.writestr(name, text)
    return content.getvalue()


def database(path: Path, tables: dict[str, tuple[str, Rows]]) -> Path:
    """Write an SQLite file of tables, each with the definition of its columns and its rows."""
    with sqlite3.connect(path) as connection:
        for table, (columns, rows) in tables.items():
            name = table.replace('"', '""')
            connection.execute(f'CREATE TABLE "{name}" ({columns})')
            for row in rows:
                marks = ", ".join("?" * len(row))
                connection.execute(f'INSERT INTO "{name}" VALUES ({marks})', row)
    connection.close()
    return path


def _sheet(rows: Rows) -> str:
    body = "".join(
        f'<row r="{number}">{"".join(_cell(at, number, value) for at, value in cells)}</row>'
        for number, cells in enumerate((enumerate(row) for row in rows), start=1)
    )
    return f'<worksheet xmlns="{_MAIN}"><sheetData>{body}</sheetData></worksheet>'


def _cell(column: int, row: int, value: object) -> str:
    key = f"{chr(ord('A') + column)}{row}"
    if value is None:
        return ""
    if isinstance(value, bool):
        return f'<c r="{key}" t="b"><v>{int(value)}</v></c>'
    if isinstance(value, int | float):
        return f'<c r="{key}"><v>{value}</v></c>'
    return f'<c r="{key}" t="inlineStr"><is><t>{escape(str(value))}</t></is></c>'
