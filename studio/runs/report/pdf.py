"""Report of runs as PDF: the same content as its page for browsers, laid out by Qt."""

import secrets
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import (
    QBuffer,
    QByteArray,
    QIODevice,
    QMarginsF,
    QObject,
    QRect,
    QRectF,
    QSizeF,
    QThread,
)
from PySide6.QtGui import (
    QGuiApplication,
    QPageLayout,
    QPageSize,
    QPainter,
    QPdfWriter,
    QPyTextObject,
    QTextCharFormat,
    QTextDocument,
    QTextFormat,
)
from PySide6.QtSvg import QSvgRenderer
from typing_extensions import override

from engine.files import atomic_write
from engine.report.content import RunContent
from engine.report.document import report_body, report_title

_DRAWING = QTextFormat.ObjectTypes.UserObject + 1
_NUMBER = QTextFormat.Property.UserProperty + 1
_OBJECT = "\N{OBJECT REPLACEMENT CHARACTER}"
_MARGIN_MM = 15
_RESOLUTION = 96  # a pixel of the layout; the drawings stay vectors
_STYLE = """
body { font-size: 9pt; } h1 { font-size: 17pt; } h2 { font-size: 13pt; } h3 { font-size: 10pt; }
th { background-color: #eaedf1; padding: 3px; text-align: left; }
td { padding: 3px; } .problem { color: #8a5a00; }
"""


class _Drawings(QPyTextObject):
    """Draws the pictures of a report where their marks stand in the text."""

    def __init__(self, drawings: Sequence[str], width: float, parent: QObject) -> None:
        super().__init__(parent)
        self._renderers = [QSvgRenderer(QByteArray(each.encode())) for each in drawings]
        self._width = width

    @override
    def intrinsicSize(self, doc: QTextDocument, posInDocument: int, format: QTextFormat) -> QSizeF:
        size = QSizeF(self._renderers[int(format.property(_NUMBER))].defaultSize())
        return size * min(1.0, self._width / max(size.width(), 1.0))

    @override
    def drawObject(
        self,
        painter: QPainter,
        rect: QRectF | QRect,
        doc: QTextDocument,
        posInDocument: int,
        format: QTextFormat,
    ) -> None:
        self._renderers[int(format.property(_NUMBER))].render(painter, QRectF(rect))


class _Layout(QThread):
    """Lays a report out in a thread of Qt's: the timers of a text need one."""

    def __init__(self, runs: Sequence[RunContent], language: str) -> None:
        super().__init__()
        self._runs = runs
        self._language = language
        self.content = b""
        self.error: Exception | None = None

    @override
    def run(self) -> None:
        try:
            self.content = pdf_bytes(self._runs, self._language)
        except Exception as error:  # noqa: BLE001  # raised again by who waits for it
            self.error = error


def write_pdf(file: Path, runs: Sequence[RunContent], language: str) -> None:
    """Write a report whole, or nothing, from any thread. Needs a QGuiApplication.

    Raises :class:`engine.files.FileWriteError`.
    """
    layout = _Layout(runs, language)
    layout.start()
    layout.wait()
    if layout.error is not None:
        raise layout.error
    atomic_write(file, layout.content)


def write_pdf_alone(file: Path, runs: Sequence[RunContent], language: str) -> None:
    """Do what :func:`write_pdf` does where there is no window and no display."""
    application = QGuiApplication.instance() or QGuiApplication(["-", "-platform", "offscreen"])
    write_pdf(file, runs, language)
    del application


def pdf_bytes(runs: Sequence[RunContent], language: str) -> bytes:
    """Return the report as PDF of pages of A4."""
    content = QByteArray()
    buffer = QBuffer(content)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    writer = QPdfWriter(buffer)
    writer.setResolution(_RESOLUTION)
    writer.setTitle(report_title(runs, language))
    writer.setCreator("Trellis")
    margins = QMarginsF(_MARGIN_MM, _MARGIN_MM, _MARGIN_MM, _MARGIN_MM)
    page = QPageSize(QPageSize.PageSizeId.A4)
    millimeter = QPageLayout.Unit.Millimeter
    writer.setPageLayout(QPageLayout(page, QPageLayout.Orientation.Portrait, margins, millimeter))
    area = QSizeF(writer.pageLayout().paintRectPixels(_RESOLUTION).size())
    document = _document(runs, language, area)
    document.print_(writer)
    buffer.close()
    return bytes(content.data())


def _document(runs: Sequence[RunContent], language: str, area: QSizeF) -> QTextDocument:
    drawings: list[str] = []
    tag = secrets.token_hex(8)  # which no text of a run has

    def take(drawing: str, caption: str) -> str:
        drawings.append(drawing)
        return f"<p>{tag}.{len(drawings)}.</p><p>{caption}</p>"

    body = report_body(runs, language, take)
    for kind in ("samples", "matrix numbers", "numbers", ""):
        plain = '<table border="1" cellspacing="0" style="border-color: #d8dde4">'
        body = body.replace(f'<table class="{kind}">', plain)
    document = QTextDocument()
    document.setDocumentMargin(0)
    document.setDefaultStyleSheet(_STYLE)
    drawer = _Drawings(drawings, area.width() - 2, document)
    document.documentLayout().registerHandler(_DRAWING, drawer)
    document.setHtml(f"<body>{body}</body>")
    _place(document, [f"{tag}.{number + 1}." for number in range(len(drawings))])
    document.setPageSize(area)  # last: what is laid out anew in part loses headings
    return document


def _place(document: QTextDocument, marks: Sequence[str]) -> None:
    """Put the drawings in the place of their marks."""
    for number, mark in enumerate(marks):
        cursor = document.find(mark)
        form = QTextCharFormat()
        form.setObjectType(_DRAWING)
        form.setProperty(_NUMBER, number)
        cursor.insertText(_OBJECT, form)
