"""The whole computation as a file of torch.export."""

import resource
import threading
from dataclasses import replace

import msgspec
import pytest
import torch

from engine.diagnostics import DiagnosticError
from engine.export import program
from engine.export.formats import find_format
from engine.export.job import ExportJob, build_job
from engine.export.outside import require_close
from engine.export.program import write_program
from engine.graph.model import Graph
from engine.model.module import to_module
from engine.model.source import to_source
from engine.query.export.request import ExportDone, ExportStage, ExportWritten, WriteExport
from engine.runtime.job.request_job import ExportJob as Job
from tests.tiny_run import PATIENCE_S, chain, node


def job_of(graph: Graph) -> ExportJob:
    torch.manual_seed(1)
    return ExportJob(
        title="x", graph=graph, source=to_source(graph), module=to_module(graph).eval()
    )


def refusal(graph: Graph, tmp_path, name: str = "torch-export") -> tuple[str, dict]:
    with pytest.raises(DiagnosticError) as error:
        find_format(name).writer()(job_of(graph), tmp_path / "m.pt2")
    assert not list(tmp_path.iterdir())
    problem = error.value.problems[0]
    return problem.code, {**problem.params, "at": problem.node}


def words(*more) -> Graph:
    return chain(
        node("Input", "tokens", shape=(-1,), dtype="int64"),
        node("Embedding", "embedding", num_embeddings=7, embedding_dim=4),
        *more,
        node("Output", "out"),
    )


@pytest.mark.real
@pytest.mark.row("S232", "S307")
@pytest.mark.parametrize(
    ("name", "load", "told"),
    [
        ("torch-export", "torch.export.load('{file}').module()", ["X041", "X047"]),
        ("torchscript", "torch.jit.load('{file}')", ["X049", "X041", "X047"]),
        ("aot-inductor", "torch._inductor.aoti_load_package('{file}')", ["X066", "X041", "X047"]),
        (
            "whole-model",
            "__import__('sys').path.insert(0, '.') or torch.load('{file}', weights_only=False)",
            ["X060", "X041"],
        ),
    ],
)
def test_that_plain_torch_computes_the_same_for_any_batch_size_and_length(
    tmp_path, plain_python, name, load, told
):
    made, form = job_of(words(node("Linear", "head", out_features=2))), find_format(name)
    written = form.writer()(made, tmp_path / f"m{form.suffix}")
    assert (written.difference, written.batches, written.samples) == (0.0, 3, 0)
    assert [notice.code for notice in written.notices] == told
    torch.save(made.module(torch.ones(7, 9, dtype=torch.int64)), tmp_path / "wanted.pt")
    code = (
        f"import torch\nmodel = {load.format(file=written.files[0].name)}\n"
        "found = model(torch.ones(7, 9, dtype=torch.int64))\n"
        "print(torch.equal(found, torch.load('wanted.pt')))\n"
    )
    assert plain_python.output(code, folder=tmp_path).split() == ["True"]
    assert plain_python.output(written.snippet, folder=tmp_path).startswith("tensor(")


@pytest.mark.real
def test_that_an_axis_that_becomes_a_constant_is_told(tmp_path):
    written = write_program(
        job_of(words(node("LSTM", "reader", hidden_size=3, batch_first=True))), tmp_path / "m.pt2"
    )
    fixed = written.notices[0]
    assert (fixed.code, fixed.params["input"], fixed.params["axis"]) == ("X039", "tokens", 1)


@pytest.mark.real
def test_that_a_batch_size_that_is_tied_to_the_model_is_refused(tmp_path):
    graph = chain(
        node("Input", "x", shape=(4,)),
        node("reshape", "tied", shape=(2, 2, 2)),
        node("Output", "out"),
    )
    assert refusal(graph, tmp_path)[0] == "X038"
    assert refusal(graph, tmp_path, "torchscript")[0] == "X038"


def test_that_a_model_that_cannot_be_pickled_or_found_by_its_name_is_refused(tmp_path):
    made = job_of(words(node("Linear", "head", out_features=2)))
    source = made.source.replace("super().__init__()", "super().__init__(); self.f = lambda: 1")
    for job, file, code in (
        (replace(made, source=source), "m.pt", "X062"),
        (made, "random.pt", "X061"),
        (made, "m.v2.pt", "X061"),
        (made, "m.py", "X011"),
    ):
        with pytest.raises(DiagnosticError) as error:
            find_format("whole-model").writer()(job, tmp_path / file)
        assert error.value.problems[0].code == code
        assert not list(tmp_path.iterdir())


def test_that_machine_code_without_a_compiler_is_refused_at_once(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CXX", raising=False)
    graph = words(node("Linear", "head", out_features=2))
    assert refusal(graph, tmp_path, "aot-inductor")[0] == "X065"


def test_that_other_outputs_are_no_success():
    one = [(torch.ones(2, 3),)]
    assert require_close(one, [(torch.ones(2, 3) + 1e-6,)], "m") == pytest.approx(1e-6, rel=0.1)
    for other in (torch.ones(2, 3) + 0.01, torch.ones(2, 4), torch.ones(2, 3) * float("nan")):
        with pytest.raises(DiagnosticError) as error:
            require_close(one, [(other,)], "m")
        assert error.value.problems[0].code == "X035"


@pytest.mark.real
@pytest.mark.fault("F05")
def test_that_a_full_disk_and_a_file_that_does_not_load_leave_nothing(
    trained, tmp_path, monkeypatch
):
    made = build_job(trained.folder.path, "best")[0]
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (64, before[1]))
    try:
        with pytest.raises(DiagnosticError) as error:
            write_program(made, tmp_path / "m.pt2")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert error.value.problems[0].code == "P002"
    script = tmp_path.parent / "broken.py"
    script.write_text("raise SystemExit('an operator that is not known')")
    monkeypatch.setattr(program, "READER", program.READER._replace(script=script))
    with pytest.raises(DiagnosticError) as error:
        write_program(made, tmp_path / "m.pt2")
    problem = error.value.problems[0]
    assert (problem.code, problem.params["reason"]) == ("X040", "an operator that is not known")
    assert not list(tmp_path.iterdir())


def request_of(trained, output) -> WriteExport:
    return WriteExport(
        run_folder=str(trained.folder.path), format="torch-export", output=str(output)
    )


@pytest.mark.real
def test_that_the_process_says_its_stages_and_compares_samples_of_the_run(trained, tmp_path):
    heard: list[msgspec.Struct] = []
    job = Job(request_of(trained, tmp_path / "m.pt2"), heard.append)
    job.start()
    job.wait()
    stages = [message.stage for message in heard if isinstance(message, ExportStage)]
    assert stages == ["load", "trace", "write", "check"]
    assert isinstance(heard[-1], ExportDone)
    report = next(m.report for m in heard if isinstance(m, ExportWritten))
    assert (report.largest_difference, report.batches, report.samples) == (0.0, 3, 9)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["m.pt2", "m.py"]


@pytest.mark.real
@pytest.mark.fault("F05")
def test_that_an_export_that_is_given_up_leaves_no_half_file(trained, tmp_path):
    output = tmp_path / "m.pt2"
    output.write_text("mine")
    reached = threading.Event()

    def hear(message: msgspec.Struct) -> None:
        if isinstance(message, ExportStage) and message.stage == "check":
            reached.set()

    job = Job(request_of(trained, output), hear)
    job.start()
    assert reached.wait(PATIENCE_S)
    job.close()
    assert [path.name for path in tmp_path.iterdir()] == ["m.pt2"]
    assert output.read_text() == "mine"
