"""Download of a data set, told as it goes on, in this process and in one of its own."""

import pytest

from engine.data.source.registry import load_source
from engine.diagnostics import DiagnosticError
from engine.query.download import answer
from engine.query.download.request import DownloadData, DownloadFailed, DownloadProgress
from engine.runtime.job.request_job import DownloadJob
from engine.spec.fields import set_value
from engine.spec.run import Choice, RunSpec
from tests import vision_files as made

datasets = pytest.importorskip("torchvision.datasets")


@pytest.fixture
def semeion(monkeypatch, tmp_path):
    """Serve a small set and return the source that wants it."""
    rows = ["0.0000 " * 256 + "0 " * label + "1" + " 0" * (9 - label) for label in range(10)]
    with made.file_server() as server:
        url, digest = server.put("semeion.data", "\n".join(rows).encode())
        monkeypatch.setattr(datasets.SEMEION, "url", url)
        monkeypatch.setattr(datasets.SEMEION, "md5_checksum", digest)
        yield Choice(type="SEMEION", params={"path": str(tmp_path / "sets")})


def test_that_a_download_is_told_and_the_data_are_there(semeion):
    told = []
    answer.download_data(DownloadData(source=semeion), told.append)
    assert told
    assert all(isinstance(message, DownloadProgress) for message in told)
    assert told[-1].done == told[-1].total > 0
    assert load_source(semeion).samples == 10


def test_that_a_large_file_is_not_told_with_every_piece(semeion, monkeypatch):
    def many(_name, _root, _variant, tell):
        for done in range(1001):
            tell("download", "file", done, 1000)

    monkeypatch.setattr(answer, "download_set", many)
    told = []
    answer.download_data(DownloadData(source=semeion), told.append)
    assert len(told) < 100
    assert told[-1].done == 1000


def test_that_a_download_without_a_folder_is_told():
    with pytest.raises(DiagnosticError) as refused:
        answer.download_data(DownloadData(source=Choice(type="MNIST")), lambda _: None)
    assert refused.value.problems[0].code == "D255"


def test_that_there_is_nothing_to_download_of_data_that_come_with_the_program():
    told = []
    answer.download_data(DownloadData(source=Choice(type="digits")), told.append)
    assert told == []


@pytest.mark.real
def test_that_the_process_tells_why_there_is_no_download():
    told = []
    job = DownloadJob(DownloadData(source=Choice(type="MNIST")), told.append)
    job.start()
    job.wait()
    assert [type(message) for message in told] == [DownloadFailed]
    assert told[0].problems[0].code == "D255"


def test_that_a_set_that_comes_divided_is_trained_on_as_it_is():
    spec = set_value(RunSpec(), "data.source", "CIFAR10")
    assert spec.data.split.kind == "given"
    spec = set_value(spec, "data.source", "EuroSAT")
    assert spec.data.split.kind == "random"
    for kind, kept in (("stratified", "given"), ("sequential", "sequential")):
        spec = set_value(spec, "data.split.kind", kind)
        assert set_value(spec, "data.source", "CIFAR10").data.split.kind == kept
