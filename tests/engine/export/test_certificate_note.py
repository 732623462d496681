"""The README of exported training code says what the certificate of its run says."""

from pathlib import Path

from engine.export.run_file import certificate_note
from engine.runs.certificate import Certificate, Difference, write_certificate

EQUAL = Certificate(
    time=86400.0,
    checkpoint="a.ckpt",
    first=2,
    resumed=3,
    last=8,
    values={},
    device="cpu",
    versions={"torch": "2.15.0"},
)


def test_that_equal_bits_and_a_difference_are_told(tmp_path: Path) -> None:
    assert certificate_note(tmp_path) == ""
    write_certificate(tmp_path, EQUAL)
    note = certificate_note(tmp_path)
    assert "the 5 steps after a resume were equal bit for bit" in note
    assert "on cpu with PyTorch 2.15.0, 1970-01-02" in note
    different = Difference(step=6, part="model", name="w")
    write_certificate(
        tmp_path,
        Certificate(
            time=0.0,
            checkpoint="a.ckpt",
            first=2,
            resumed=3,
            last=6,
            values={},
            difference=different,
        ),
    )
    assert "differed in step 6" in certificate_note(tmp_path)


def test_that_a_damaged_certificate_is_none(tmp_path: Path) -> None:
    (tmp_path / "certificate.json").write_text('{"format": 1, "certificate": {"time": "x"')
    assert certificate_note(tmp_path) == ""
