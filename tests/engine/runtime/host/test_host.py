import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from engine.diagnostics import DiagnosticError
from engine.graph.edit.edits import SetParam, apply
from engine.graph.model import Graph, Node
from engine.query.data.request import DescribeData, PreviewData
from engine.query.evaluation.request import Evaluate
from engine.query.export.request import Export
from engine.query.machine.request import GetCapabilities, WarmUp
from engine.query.model.request import Analyse, Check, GetSource, Repair
from engine.query.rate.request import PreviewLr
from engine.query.weights.request import CompareCheckpoint, ReadCheckpoint
from engine.runtime.job.stream import read_frame, write_frame
from engine.spec.run import Choice, DataSpec

PATIENCE_S = 150  # torch and torchmetrics are loaded, perhaps on a busy machine
pytestmark = pytest.mark.timeout(500)


def test_that_the_host_answers_what_the_window_asks(host, project, trained):
    def ask(request):
        return host.request(request).result(PATIENCE_S)

    assert ask(WarmUp()).seconds > 0
    assert "cpu" in ask(GetCapabilities()).devices
    analysis = ask(Analyse(graph=project.graph))
    assert analysis.is_ok()
    assert analysis.parameters > 0
    assert ask(GetSource(graph=project.graph)).text == analysis.source
    report = ask(Check(graph=project.graph, spec=project.spec))
    assert report.is_ok()
    assert report.data is not None
    assert report.data.samples == 150
    assert ask(DescribeData(data=project.spec.data)) == report.data
    preview = ask(PreviewData(data=project.spec.data, split="test", start=1, count=5))
    assert len(preview.samples) == 5
    rates = ask(PreviewLr(spec=project.spec, steps_per_epoch=3))
    assert rates.steps == (1, 2, 3, 4, 5, 6)
    run = str(trained.folder.path)
    assert ask(Evaluate(run_folder=run)).metrics["test.loss"] > 0
    output = project.path / "weights.pt"
    assert ask(Export(run_folder=run, format="state-dict", output=str(output))).files
    assert ask(ReadCheckpoint(file=str(output))).elements == analysis.parameters
    assert ask(CompareCheckpoint(file=str(output), graph=project.graph)).fits()


def test_that_what_is_wrong_comes_as_diagnostics_and_the_host_goes_on(host, project):
    bad = DataSpec(source=Choice(type="no such data"))
    with pytest.raises(DiagnosticError):
        host.request(DescribeData(data=bad)).result(PATIENCE_S)
    with pytest.raises(DiagnosticError):
        host.request(ReadCheckpoint(file="/no/such/file")).result(PATIENCE_S)
    odd = Graph(nodes={"x": Node(id="x", type="os.system", name="x")})
    assert not host.request(Analyse(graph=odd)).result(PATIENCE_S).is_ok()
    report = host.request(
        Check(graph=project.graph, spec=msgspec.structs.replace(project.spec, data=bad))
    ).result(PATIENCE_S)
    assert not report.is_ok()
    assert report.data is None


@pytest.mark.real
def test_that_a_bad_request_gets_a_reply_and_the_end_of_input_ends_the_host():
    with subprocess.Popen(
        [sys.executable, "-m", "engine.runtime.host.process"],
        cwd=Path(__file__).parents[4],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for frame, number in (
            (b"\xc1", 0),
            (msgspec.msgpack.encode({"number": 5, "request": {"type": "Reboot"}}), 5),
            (msgspec.msgpack.encode([1, 2]), 0),
        ):
            write_frame(process.stdin, frame)
            answer = read_frame(process.stdout)
            assert answer is not None
            reply = msgspec.msgpack.decode(answer)
            assert reply["number"] == number
            assert [problem["code"] for problem in reply["problems"]] == ["E013"]
        process.stdin.close()
        assert process.stdout.read() == b""
        assert process.wait(60) == 0


@pytest.mark.real
def test_that_nothing_else_reaches_the_output_of_the_host():
    code = (
        "import os, sys\n"
        "from engine.runtime.job import stream\n"
        "requests, replies = stream.protocol_streams()\n"
        "print('noise'); sys.stdout.flush(); os.write(1, b'more noise')\n"
        "replies.write(b'reply'); replies.flush()\n"
        "print(sys.stdin.read() == '' if sys.stdin else True)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=Path(__file__).parents[4],
        input=b"for the host only",
        capture_output=True,
        check=True,
    )
    assert done.stdout == b"reply"
    assert b"more noise" in done.stderr


def test_that_the_host_answers_with_fixes_that_were_tried(host, project):
    layer = next(node for node in project.graph.nodes.values() if node.type == "Linear")
    wrong = apply(SetParam(id=layer.id, name="in_features", value=3), project.graph)
    report = host.request(Check(graph=wrong, spec=project.spec)).result(PATIENCE_S)
    problem = next(p for p in report.problems if p.node == layer.id)
    request = Repair(graph=wrong, spec=project.spec, problems=(problem,))
    (fixes,) = host.request(request).result(PATIENCE_S).fixes
    assert fixes[0].edit == SetParam(id=layer.id, name="in_features", value="auto")
    mended = apply(fixes[0].edit, wrong)
    assert host.request(Check(graph=mended, spec=project.spec)).result(PATIENCE_S).is_ok()
