"""What the Export workspace says of an export that was written."""

from engine.runtime import ExportReport, Int8Report
from studio.view.export import present_formats, present_report

INT8 = Int8Report(
    layers=2,
    weights_bytes=4096,
    file_bytes=1024,
    split="validation",
    before={"loss": 0.5, "accuracy": 0.75},
    after={"loss": 0.625, "accuracy": 0.5},
)


def report(int8: Int8Report | None) -> ExportReport:
    return ExportReport(
        format="int8",
        files=("net.safetensors", "net.py"),
        size_bytes=1,
        largest_difference=0.25,
        batches=2,
        int8=int8,
    )


def test_that_int8_weights_are_told_with_what_they_save_and_cost() -> None:
    lines = present_report(report(INT8)).splitlines()
    assert lines[:2] == ["Written: net.safetensors", "Written: net.py"]
    assert "0.25" in lines[2]
    assert "2" in lines[3]
    assert "4" in lines[3].partition("→")[0]
    assert "1" in lines[3].partition("→")[2]
    assert [line.partition(": ")[2] for line in lines[4:]] == ["0.5 → 0.625", "0.75 → 0.5"]
    assert "validation" in lines[4]
    assert "validation" not in present_report(report(None))


def test_that_it_is_told_why_nothing_was_measured() -> None:
    assert "The table is gone." in present_report(report(INT8), "The table is gone.")


def test_that_each_format_that_can_be_written_has_words() -> None:
    from engine.runtime.export_formats import export_formats

    for view in present_formats(export_formats()):
        assert view.title != view.key
        assert view.text
        assert view.suffix
