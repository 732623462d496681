"""Thousands of random actions: nothing breaks, and all of them can be taken back."""

import os
import sys
import traceback

import pytest
from PySide6.QtWidgets import QApplication

from engine.diagnostics import DiagnosticError
from engine.events import CheckpointSaved, EpochDone, RunEnded, RunStarted, StepDone
from engine.graph.block import body, used_blocks, valid_path
from engine.graph.check import check as structural
from engine.graph.model import BlockStyle, Graph
from engine.graph.naming import name_problem
from engine.graph.query import input_ports, output_ports
from engine.project import Project, document
from engine.runs.folder import RunFolder, find_run
from engine.runs.record.journal import RunJournal
from engine.runtime import RunHandle
from tests.studio.random_user import RandomUser

pytestmark = pytest.mark.real
SEEDS = tuple(map(int, os.environ.get("TRELLIS_SEEDS", "1").split()))
NIGHTLY_SEEDS = tuple(range(2, 21))
ACTIONS = 120
NIGHTLY_ACTIONS = 10_000


@pytest.fixture
def played_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let runs be over as soon as they have begun: what they leave is what a worker leaves. No
    search begins, which would outlive the window.
    """

    def start_run(project, graph, spec, name=None, **_):
        return play(RunFolder.create(project, graph, spec, name))

    def resume_run(project, run, **_):
        return play(find_run(project, run))

    def begin_search(*_, **__):
        raise DiagnosticError.of("R135")

    monkeypatch.setattr("studio.runs.search.controller.start_search", begin_search)
    monkeypatch.setattr("studio.runs.search.controller.resume_search", begin_search)
    monkeypatch.setattr("studio.run_control.controller.start_run", start_run)
    monkeypatch.setattr("studio.run_control.controller.resume_run", resume_run)


def play(folder: RunFolder) -> RunHandle:
    journal = RunJournal(folder.path)
    begun = RunStarted(pid=1, device="cpu", threads=1, epochs=2, steps_per_epoch=3, parameters=5)
    journal.append(begun)
    journal.extend("train.loss", [1, 2, 3], [3.0, 2.0, 1.0])
    for step in (1, 2, 3):
        journal.append(StepDone(step=step, epoch=1))
    journal.append(EpochDone(epoch=1, step=3, metrics={"validation.loss": 1.0}))
    saved = CheckpointSaved(file="a.ckpt", sha256="0" * 64, step=3, epoch=1, tags=("last", "best"))
    journal.append(saved)
    journal.append(RunEnded(reason="stopped", step=3, epoch=1))
    journal.commit()
    journal.close()
    return RunHandle(folder)


@pytest.mark.fault("U01")
@pytest.mark.timeout(900)
@pytest.mark.usefixtures("unseen_pages", "played_runs")
@pytest.mark.parametrize("seed", SEEDS)
def test_that_random_actions_break_nothing_and_can_be_undone(built, qtlog, seed):
    act_at_random(built, qtlog, seed, int(os.environ.get("TRELLIS_ACTIONS", ACTIONS)))


@pytest.mark.nightly
@pytest.mark.timeout(1800)
@pytest.mark.fault("U01")
@pytest.mark.usefixtures("unseen_pages", "played_runs")
@pytest.mark.parametrize("seed", NIGHTLY_SEEDS)
def test_that_many_random_actions_break_nothing_and_can_be_undone(built, qtlog, seed):
    act_at_random(built, qtlog, seed, NIGHTLY_ACTIONS)


def act_at_random(studio, qtlog, seed: int, count: int) -> None:
    """Act; a failure names the seed and the last actions, which the same seed does again."""
    first = studio.session.document
    user = RandomUser(studio, seed)
    errors: list[str] = []
    previous = sys.excepthook
    sys.excepthook = lambda *error: errors.append("".join(traceback.format_exception(*error)))
    done: list[str] = []
    checked: Graph | None = None
    try:
        for number in range(count):
            user.act()
            done.append(f"{number}: {user.last}")
            checked = check(studio, errors, qtlog, checked)
    except BaseException:
        print(f"seed {seed}, the last actions:", *done[-12:], user.last, sep="\n  ")
        raise
    finally:
        sys.excepthook = previous
    check_files(studio)
    while studio.session.can_undo:
        studio.session.undo()
    assert studio.session.document == first
    check(studio, errors, qtlog)


def check(studio, errors: list[str], qtlog, checked: Graph | None = None) -> Graph:
    """Check what holds after each action; return the graph, which need not be checked again."""
    assert not errors, errors[0]
    warnings = [record.message for record in qtlog.records if record.type.name != "QtDebugMsg"]
    assert not [text for text in warnings if not text.startswith("This plugin does not support")]
    graph = studio.session.graph
    if graph is not checked:  # documents are not changed but replaced
        check_graph(graph)
    assert set(studio.session.selection) <= set(studio.session.level.nodes)
    assert valid_path(graph, studio.session.path) == studio.session.path
    return graph


def check_graph(graph: Graph) -> None:
    problems = structural(graph)
    check_level(graph, {p.node for p in problems if p.code == "G010"})
    for name, block in graph.blocks.items():
        assert not contains_itself(graph, name)
        check_level(body(graph, block), set(block.nodes))


def check_level(graph, told: set[str | None]) -> None:
    names = [node.name for node in graph.nodes.values()]
    assert len(set(names)) == len(names)
    is_row = graph.style is BlockStyle.SEQUENTIAL
    problems = [name_problem(name, is_sequential=is_row) for name in names]
    assert not [p for p in problems if p is not None]
    ends = {
        node.id: (
            {port.name for port in output_ports(graph, node)},
            {port.name for port in input_ports(graph, node)},
        )
        for node in graph.nodes.values()
    }
    taken = [(edge.target, edge.target_port) for edge in graph.edges]
    assert len(set(taken)) == len(taken), "two wires into one input"
    for edge in graph.edges:  # a setting that takes an output away leaves its wire, and says so
        assert edge.source_port in ends[edge.source][0] or edge.source in told
        assert edge.target_port in ends[edge.target][1]


def contains_itself(graph, name: str) -> bool:
    """Return whether a block has a use of itself inside, at any depth."""
    inside = used_blocks(graph.blocks, graph.blocks[name].nodes.values())
    return name in inside


def check_files(studio) -> None:
    """Check that what is saved is what is opened, and that the canvas shows what there is."""
    session = studio.session
    studio.bench.model.paint()
    assert set(studio.bench.model_page.canvas.scene.nodes) == set(session.level.nodes)
    assert studio.bench.project.save()
    assert not session.is_modified
    again = Project.open(session.project.path)
    assert (again.graph, again.spec) == (session.graph, session.spec)
    text = document.encode(document.decode(session.project.file.read_bytes()))
    assert text == session.project.file.read_bytes()
    QApplication.processEvents()  # a late answer of the host may change the model once more
