"""Pages of Inspect ask for a few samples at a time, however many the data has."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from engine.data.load.part import PartData, StreamedPart, TensorPart
from engine.data.source import sample_digest
from engine.data.source.registry import forget_sources
from engine.data.source.source import Source
from engine.graph.model import Graph
from engine.query.ask import ask
from engine.query.data.proposal import propose_data
from engine.query.data.request import ProposeData
from engine.query.doctor.request import CheckUp
from engine.query.evaluation.request import Evaluate
from engine.query.export.request import Export
from engine.query.landscape import answer as landscape
from engine.query.landscape.request import DrawLandscape
from engine.query.memory.request import EstimateMemory
from engine.query.results.request import DescribeModel, Examine, LookUp, PredictSamples
from engine.runs.folder import RunFolder
from engine.spec.run import LoaderSpec
from tests.tiny_run import train
from tests.user_data import SOURCES

AT_ONCE = 8
"""Samples that a page may hold at once in these tests, whose data has more."""


def subclasses(kind: type) -> Iterator[type]:
    yield kind
    for each in kind.__subclasses__():
        yield from subclasses(each)


class Asked:
    """The most samples that a source, or a part of the data, was asked for at once."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.most = 0
        for kind in subclasses(Source):
            for name in {"read", "read_at", "keys", "input_keys"} & kind.__dict__.keys():
                self._count(patch, kind, name, lambda indices, *_: len(indices))
        for kind in (StreamedPart, TensorPart):
            self._count(patch, kind, "batch", lambda index, *_: len(index.positions))
        self._count(patch, PartData, "all", lambda *_: AT_ONCE + 1)

    def _count(self, patch: pytest.MonkeyPatch, kind: Any, name: str, size: Any) -> None:
        real = getattr(kind, name)

        def counted(itself: Any, *given: Any, **named: Any) -> Any:
            self.most = max(self.most, size(*given, *named.values()))
            return real(itself, *given, **named)

        patch.setattr(kind, name, counted)


@pytest.fixture
def few_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let what reads all samples in blocks have blocks that are smaller than the tests' data."""
    monkeypatch.setattr(sample_digest, "_AT_ONCE", AT_ONCE)
    monkeypatch.setattr(landscape, "_BATCH", AT_ONCE)
    monkeypatch.setattr("engine.data.source.fingerprint._MOST_SAMPLES", AT_ONCE)


def made_run(name: str, folder: Path) -> tuple[RunFolder, Graph]:
    """Return a run of the first model that is proposed for data of a kind."""
    (folder / "in").mkdir()
    path, _ = SOURCES[name](folder / "in")
    proposal = propose_data(ProposeData(path=str(path)))
    assert proposal.graph is not None
    data = replace(proposal.spec.data, batch_size=AT_ONCE, loader=LoaderSpec())
    spec = replace(proposal.spec, data=data, epochs=1, device="cpu", threads=1)
    run = RunFolder.create(folder / "project", proposal.graph, spec, name)
    train(run)
    return run, proposal.graph


def pages(run: RunFolder, graph: Graph) -> dict[str, Any]:
    """Return what the pages of Inspect ask about a run and its data, by page."""
    spec, place = run.document.spec, str(run.path)
    project = str(run.project)
    return {
        "results": Examine(run_folder=place, checkpoint="last", split="train", seconds=60),
        "samples": LookUp(data=spec.data, places=(0, 1)),
        "columns of the last run": PredictSamples(run_folder=place, checkpoint="last", seconds=60),
        "evaluation": Evaluate(run_folder=place, checkpoint="last", split="train"),
        "playground": DescribeModel(run_folder=place, checkpoint="last"),
        "doctor": CheckUp(graph=graph, spec=spec, project=project),
        "doctor of a run": CheckUp(graph=graph, spec=spec, project=project, run_folder=place),
        "memory": EstimateMemory(graph=graph, spec=spec),
        "tensorboard": Export(
            run_folder=place,
            format="tensorboard",
            output=str(run.project / "run.tfevents"),
            checkpoint="last",
        ),
    }


@pytest.mark.row("S318")
@pytest.mark.usefixtures("few_at_once")
@pytest.mark.parametrize("name", ["csv", "npz", "text", "text_folder", "pictures", "sounds"])
def test_that_no_page_asks_for_a_whole_data_set(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    run, graph = made_run(name, tmp_path)
    forget_sources()
    most: dict[str, int] = {}
    for page, question in pages(run, graph).items():
        with monkeypatch.context() as patch:
            asked = Asked(patch)
            ask(question)
            most[page] = asked.most
    with monkeypatch.context() as patch:
        asked = Asked(patch)
        landscape.draw_landscape(
            DrawLandscape(run_folder=str(run.path), size=2, samples=0), [].append
        )
        most["landscape"] = asked.most
    assert {page: count for page, count in most.items() if count > AT_ONCE} == {}
    assert most["results"] > 0
    assert most["landscape"] > 0
