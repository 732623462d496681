"""Files of the data that others change while the window is open."""

from concurrent.futures import Future

import pytest
from msgspec.structs import replace

from engine.diagnostics import Diagnostic, DiagnosticError
from engine.project.project import Project
from engine.query.ask import ask
from engine.query.data.request import ProposeData
from engine.query.model.request import Check
from engine.spec.run import Choice
from studio.process.thread_handover import ThreadHandover
from studio.run_control.awaited_check import AwaitedCheck
from studio.session.analyst import Analyst
from studio.session.session import Document, Session

TEXTS = [f"good film {at}\tgood\nbad film {at}\tbad\n" for at in range(40)]
MORE = "unknown words here\tawful\n" * 30


class AskedHost:
    """Answers at once, in this process."""

    def request(self, request):
        answer: Future = Future()
        answer.set_result(ask(request))
        return answer


class Opened:
    """A project of a table of texts that was checked, with what is told."""

    def __init__(self, tmp_path, qtbot) -> None:
        self.file = tmp_path / "texts.tsv"
        self.file.write_text("text\tverdict\n" + "".join(TEXTS), encoding="utf-8")
        proposal = ask(ProposeData(path=str(self.file)))
        assert proposal.graph is not None
        self.session, self.told = Session(), []
        project = Project.create(tmp_path / "project")
        handover = ThreadHandover(self.session)
        self.analyst = Analyst(self.session, AskedHost(), handover, self.told.extend)
        self.session.open(project, Document(graph=proposal.graph, spec=proposal.spec))
        self.analyst.ask_again()
        qtbot.waitUntil(lambda: self.session.findings.is_checked, timeout=60_000)

    def grow(self) -> None:
        with self.file.open("a", encoding="utf-8") as file:
            file.write(MORE)

    def samples(self) -> int:
        info = self.session.findings.data
        assert info is not None
        return info.samples


@pytest.fixture
def texts(tmp_path, qtbot):
    return Opened(tmp_path, qtbot)


def test_that_a_table_that_grew_is_described_anew_and_told(texts, qtbot):
    texts.analyst.look_again()
    qtbot.wait(50)
    assert texts.told == []
    texts.grow()
    texts.analyst.look_again()
    qtbot.waitUntil(lambda: texts.samples() == 110, timeout=60_000)
    (told,) = texts.told
    assert (told.code, told.severity, told.params["before"]) == ("D746", "hint", 80)
    codes = [each.code for each in texts.session.findings.errors]
    assert "R075" in codes, "words that the embedding has no rows for"


def test_that_a_run_waits_for_a_look_at_the_files(texts, qtbot):
    check = AwaitedCheck(texts.session)
    begun: list[bool] = []
    check.come.connect(lambda: begun.append(check.begin()))
    texts.grow()
    assert not check.begin()
    assert check.is_awaited
    qtbot.waitUntil(lambda: bool(begun), timeout=60_000)
    assert begun == [True]
    assert (texts.samples(), check.is_awaited) == (110, False)
    assert not check.begin(), "the next run looks again"


def test_that_start_tells_what_is_wrong_with_files_that_changed(opened, host, qtbot, tmp_path):
    file = tmp_path / "table.csv"
    file.write_text("a,b\n1,2\n", encoding="utf-8")
    session = opened.session
    source = Choice(type="table", params={"path": str(file)})
    spec = replace(session.spec, data=replace(session.spec.data, source=source))
    session.change(session.graph, spec, "Change data")
    qtbot.waitUntil(lambda: session.findings.is_checked, timeout=60_000)
    session.find(other_problems=(), is_checked=True)
    host.own[Check] = DiagnosticError(Diagnostic(code="E014", params={"request": "Check"}))
    opened.services.runs.start()
    assert opened.services.runs.is_waiting
    qtbot.waitUntil(lambda: not opened.services.runs.is_waiting, timeout=60_000)
    assert not opened.services.runs.is_starting
    assert any("failed unexpectedly" in line.text for line in opened.notifications.lines)
