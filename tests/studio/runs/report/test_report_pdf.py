"""The report of runs as PDF, and the command."""

import pytest
from msgspec.structs import replace

from engine.report.content import RunContent
from engine.runs.record.state import RunState
from engine.spec.data_version import DataVersion
from studio.runs.report.pdf import pdf_bytes, write_pdf
from tests.tiny_run import make_run


@pytest.fixture
def content(tmp_path):
    document = replace(make_run(tmp_path).document, note="￼ <script>alert(1)</script>")
    return RunContent(document=document, state=RunState(data=DataVersion(files="abc")))


def test_that_a_report_becomes_a_pdf_with_its_drawings(qapp, content):
    pdf = pdf_bytes([content], "en")
    assert pdf.startswith(b"%PDF-")
    assert pdf.rstrip().endswith(b"%%EOF")
    assert pdf.count(b"/Type /Page\n") >= 1


def test_that_no_half_pdf_stays(qapp, content, tmp_path):
    with pytest.raises(Exception, match=r"nowhere|folder"):
        write_pdf(tmp_path / "nowhere" / "r.pdf", [content], "zh_CN")
    assert not (tmp_path / "nowhere").exists()
