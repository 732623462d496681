import json
import subprocess
import sys
from pathlib import Path

import pytest

from engine.diagnostics import Diagnostic, DiagnosticError, Severity
from engine.project import Project
from engine.runs.folder import RunFolder, find_run
from engine.runtime import export_texts
from studio.process.settings import SettingsStore

ROOT = Path(__file__).parents[3]
QUICK = ("--epochs", "2", "--mode", "thread", "--set", "threads=1")


def is_one_line(text: str) -> bool:
    return text.startswith("trellis: ") and text.count("\n") == 1 and text.endswith("\n")


@pytest.mark.row("P12")
def test_that_templates_are_listed(run):
    names = [template["name"] for template in run("templates", "--json").json()["templates"]]
    assert {"digits-cnn", "iris-mlp", "two-layer-net"} <= set(names)
    assert [line.split()[0] for line in run("templates").out.splitlines()] == names


def test_that_a_project_is_made_once(run, tmp_path):
    folder = tmp_path / "new project"
    assert run("new", folder, "--template", "iris-mlp").code == 0
    assert Project.open(folder).graph.nodes
    again = run("new", folder, "--template", "iris-mlp")
    assert again.code == 2
    assert is_one_line(again.err)


def test_that_check_tells_shapes_parameters_and_problems(run, project):
    done = run("check", project, "--json")
    document = done.json()
    assert done.code == 0
    assert set(document) == {"ok", "parameters", "nodes", "problems"}
    assert document["ok"] is True
    assert document["parameters"] == sum(p.numel() for p in _module(project).parameters())
    assert document["nodes"]["hidden"] == {
        "type": "Linear",
        "outputs": [{"shape": ["N", 16], "dtype": "float32"}],
    }
    assert "131" in run("check", project).out


def test_that_check_fails_for_a_mistake_and_names_the_node(run, project):
    opened = Project.open(project)
    document = json.loads(opened.file.read_text())
    next(n for n in document["graph"]["nodes"] if n["id"] == "hidden")["params"] = {
        "in_features": 5,
        "out_features": 16,
    }
    opened.file.write_text(json.dumps(document))
    done = run("check", project, "--json")
    assert done.code == 1
    assert done.json()["ok"] is False
    problem = next(p for p in done.json()["problems"] if p["severity"] == "error")
    assert problem["node"] == "hidden"
    assert "5" in problem["message"]
    assert set(problem) >= {"code", "severity", "node", "message"}
    trained = run("train", project, *QUICK)
    assert trained.code == 1
    assert is_one_line(trained.err)
    assert not (project / "runs").exists()


@pytest.mark.row("N03")
def test_that_code_prints_the_class_that_is_trained(run, project):
    text = run("code", project).out
    compile(text, "model.py", "exec")
    assert "class Model(nn.Module):" in text
    assert "self.hidden = nn.Linear(4, 16)" in text
    run("train", project, *QUICK, "--quiet")
    assert (project / "runs" / "run-0001" / "model.py").read_text() == text


def test_that_train_tells_everything_as_one_document(run, project):
    done = run("train", project, *QUICK, "--json", "--name", "first", "--seed", "5")
    document = done.json()
    assert (done.code, done.err) == (0, "")
    parts = {"run", "state", "epochs", "steps", "metrics", "history", "curve_names", "seconds"}
    assert set(document) == parts
    assert (document["run"], document["state"], document["epochs"]) == ("run-0001", "finished", 2)
    assert len(document["history"]["train.loss"]) == document["steps"]
    assert {"train.loss", "validation.loss", "test.accuracy"} <= set(document["metrics"])
    assert document["seconds"] > 0
    spec = RunFolder.open(project / "runs" / "run-0001").document.spec
    assert (spec.epochs, spec.seed, spec.mode) == (2, 5, "thread")
    assert Project.open(project).spec.seed != 5


def test_that_the_learning_rate_of_each_group_is_told_by_name(run, project):
    group = ("--set", "groups.0.match=hidden, *.bias", "--set", "groups.0.lr=0.5")
    document = run("train", project, *QUICK, *group, "--json").json()
    assert document["curve_names"] == {
        "lr.0": "other parameters",
        "lr.1": "group 1 (hidden, *.bias)",
    }
    assert document["history"]["lr.1"][0] == 0.5
    assert set(document["curve_names"]) < set(document["history"])
    assert run("train", project, *QUICK, "--json").json()["curve_names"] == {}


def test_that_several_metrics_are_set_measured_and_kept(run, project):
    done = run("train", project, *QUICK, "--set", "metrics=accuracy,f1", "--json")
    curves = set(done.json()["history"])
    assert {
        f"{part}.{name}" for part in ("train", "validation") for name in ("accuracy", "f1")
    } <= (curves)
    spec = RunFolder.open(project / "runs" / "run-0001").document.spec
    assert spec.metrics == ("accuracy", "f1")
    refused = run("train", project, *QUICK, "--set", "metrics=accuracy,mae")
    assert refused.code == 1
    assert "mae" in refused.err


@pytest.mark.row("N25")
def test_that_the_same_seed_gives_the_same_losses_to_the_last_bit(run, project):
    histories = [run("train", project, *QUICK, "--json").json()["history"] for _ in range(2)]
    assert histories[0]["train.loss"] == histories[1]["train.loss"]
    other = run("train", project, *QUICK, "--seed", "9", "--json").json()["history"]
    assert other["train.loss"] != histories[0]["train.loss"]


def test_that_set_reaches_fields_of_all_kinds(run, project):
    settings = {
        "optimizer.lr": "0.5",
        "data.batch_size": "7",
        "optimizer": "SGD",
        "clip.kind": "norm",
        "losses.0.weight": "2",
    }
    ordered = sorted(settings.items(), key=lambda item: "." in item[0])
    options = [word for name, value in ordered for word in ("--set", f"{name}={value}")]
    assert run("train", project, *QUICK, *options, "--quiet").code == 0
    spec = RunFolder.open(project / "runs" / "run-0001").document.spec
    assert spec.optimizer.type == "SGD"
    assert spec.optimizer.params["lr"] == 0.5
    assert spec.data.batch_size == 7
    assert spec.clip.kind == "norm"
    assert spec.losses[0].weight == 2.0


@pytest.mark.fault("B09")
@pytest.mark.parametrize(
    "options",
    [
        ("--set", "epcohs=3"),
        ("--set", "epochs"),
        ("--set", "=3"),
        ("--set", "optimizer.lr=nan"),
        ("--set", "optimizer.lr=1,5"),
        ("--set", "data.batch_size=0"),
        ("--epochs", "0"),
        ("--epochs", "three"),
        ("--mode", "cluster"),
        ("--nproc", "0"),
        ("--device", "toaster"),
        ("--resume", "run-0009"),
        ("--resume", "latest", "--seed", "3"),
        ("--frobnicate",),
    ],
)
def test_that_wrong_use_of_train_is_code_2_in_one_line(run, project, options):
    done = run("train", project, *options)
    assert done.code == 2
    assert is_one_line(done.err)
    assert done.out == ""


@pytest.mark.row("P15")
def test_that_a_run_goes_on_where_it_ended(run, project):
    run("train", project, *QUICK, "--quiet")
    done = run("train", project, "--resume", "latest", "--epochs", "4", "--json")
    assert done.json()["run"] == "run-0001"
    assert done.json()["epochs"] == 4
    whole = run("train", project, *QUICK, "--epochs", "4", "--json")
    assert done.json()["history"]["train.loss"] == whole.json()["history"]["train.loss"]


def test_that_a_run_with_nothing_left_to_train_says_how_it_trains_on(run, project):
    run("train", project, *QUICK, "--quiet")
    done = run("train", project, "--resume", "latest")
    assert done.code == 0
    assert "--epochs 4" in done.err.splitlines()[0]
    assert "--epochs" not in run("train", project, "--resume", "latest", "--epochs", "3").err


@pytest.mark.fault("F22")
def test_that_a_run_that_goes_on_lists_what_the_project_has_otherwise(run, project):
    run("train", project, *QUICK, "--set", "optimizer.lr=0.0125", "--quiet")
    done = run("train", project, "--resume", "latest", "--epochs", "3")
    (told,) = [line for line in done.err.splitlines() if "continues with" in line]
    assert "optimizer.lr: 0.0125 → " in told
    assert "another model" not in told
    assert "epochs:" not in told


def test_that_a_run_that_is_refused_is_not_said_to_continue(run, project, monkeypatch):
    run("train", project, *QUICK, "--set", "optimizer.lr=0.0125", "--quiet")

    def refuse(*_words: object, **_names: object) -> None:
        raise DiagnosticError.of("R155", run="run-0001")

    monkeypatch.setattr("engine.runtime.resume_run", refuse)
    told = Diagnostic.of("R205", severity=Severity.WARNING)
    monkeypatch.setattr("engine.runtime.mode_problems", lambda *_asked: (told,))
    done = run("train", project, "--resume", "latest", "--epochs", "3")
    assert done.code == 1
    assert "continues with" not in done.err
    assert "Synchronized batch norm" in done.err.splitlines()[0]


@pytest.mark.fault("F11")
def test_that_a_run_tells_on_the_terminal_when_it_goes_back(run, project):
    wild = ("optimizer=SGD", "optimizer.lr=1000", "losses.0.weight=1e9", "non_finite=roll_back")
    words = [word for name in wild for word in ("--set", name)]
    done = run("train", project, *QUICK, *words)
    assert done.code == 1
    assert done.err.count("the run went back to step") == 5
    again = run("train", project, "--resume", "latest")
    assert "went back to step" not in again.err, "what was told before is not told again"


def test_that_a_failed_run_is_code_1_with_its_reason(run, project):
    wild = ("optimizer=SGD", "optimizer.lr=1000", "losses.0.weight=1e9")
    done = run("train", project, *QUICK, *(word for name in wild for word in ("--set", name)))
    assert done.code == 1
    assert done.err.splitlines()[-1].startswith("trellis: run-0001 failed: ")


def test_that_progress_is_a_line_for_each_epoch_and_quiet_is_quiet(run, project):
    done = run("train", project, *QUICK)
    lines = [line for line in done.err.splitlines() if line.startswith("epoch ")]
    assert lines
    assert lines[-1].startswith("epoch 2/2")
    assert "validation.loss" in lines[-1]
    assert "run-0001 finished" in done.out
    quiet = run("train", project, *QUICK, "--quiet")
    assert (quiet.out, quiet.err) == ("", "")


@pytest.mark.row("P29")
def test_that_runs_events_evaluate_and_export_know_the_run(run, project, tmp_path):
    assert run("runs", project, "--json").json() == {"runs": []}
    trained = run("train", project, *QUICK, "--json", "--name", "mine").json()
    row = run("runs", project, "--json").json()["runs"][0]
    assert (row["run"], row["name"], row["state"]) == ("run-0001", "mine", "finished")
    assert row["metrics"] == trained["metrics"]
    find_run(Path(project), "mine").describe("wider", ("paper", "wide"))
    row = run("runs", project, "--json").json()["runs"][0]
    assert (row["note"], row["tags"]) == ("wider", ["paper", "wide"])
    assert "mine" in run("runs", project).out
    for arguments in (("latest",), ("run-0001", "--follow"), ("mine",)):
        events = [json.loads(line) for line in run("events", project, *arguments).out.splitlines()]
        assert events[0]["type"] == "RunStarted"
        assert events[-1]["type"] == "RunEnded"
    found = run("evaluate", project, "--run", "latest", "--checkpoint", "last", "--json").json()
    assert found["metrics"]["test.loss"] == pytest.approx(trained["metrics"]["test.loss"])
    assert run("evaluate", project, "--run", "mine", "--split", "train").out.count("train.") >= 2
    for name, file in (("state-dict", "w.pt"), ("safetensors", "w.st"), ("python", "m.py")):
        done = run(
            "export", project, "--run", "latest", "--format", name, "--output", tmp_path / file
        )
        assert done.code == 0
        assert "largest difference after reading back: 0" in done.out
        assert (tmp_path / file).is_file()


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("check", "{folder}/nowhere"), 2),
        (("code", "{folder}/nowhere"), 2),
        (("runs", "{folder}/nowhere"), 2),
        (("new", "{folder}/new", "--template", "nope"), 2),
        (("new", "{folder}/new"), 2),
        (("events", "{folder}/iris", "latest"), 2),
        (("evaluate", "{folder}/iris", "--run", "run-0007"), 2),
        (("evaluate", "{folder}/iris", "--run", "latest", "--split", "all"), 2),
        (("export", "{folder}/iris", "--run", "latest", "--format", "nope", "--output", "x"), 2),
        (("export", "{folder}/iris", "--run", "latest"), 2),
        (("screenshot", "{folder}/iris", "--workspace", "nope", "--output", "x.png"), 2),
        (("screenshot", "{folder}/iris", "--workspace", "inspect.nope", "--output", "x.png"), 2),
        (("frobnicate",), 2),
        ((), 2),
        (("--frobnicate",), 2),
    ],
)
def test_that_wrong_use_is_code_2_in_one_line(run, project, arguments, code):
    done = run(*(argument.format(folder=project.parent) for argument in arguments))
    assert done.code == code
    assert is_one_line(done.err)
    assert done.out == ""


def test_that_a_damaged_project_is_code_1_and_debug_shows_where(run, project):
    (project / "project.json").write_bytes(b'{"graph": ')
    done = run("check", project)
    assert done.code == 1
    assert is_one_line(done.err)
    shown = run("check", project, "--debug")
    assert shown.err.startswith(done.err)
    assert "Traceback" in shown.err


def test_that_help_is_no_error(run):
    done = run("train", "--help")
    assert done.code == 0
    assert "--resume" in done.out
    for command in ("templates", "screenshot", "doctor"):
        assert command in run("--help").out
    assert "[PROJECT]" in run("--help").out


def test_that_the_help_of_export_tells_each_format_in_words(run):
    shown = "".join(run("export", "--help").out.split())  # lines break at hyphens, too
    for name, text in export_texts().items():
        assert text[0].isalpha()
        assert "".join(f"{name}: {text}".split()) in shown


def test_that_formats_are_listed_with_what_they_need_and_those_that_are_not_offered(run):
    document = run("export", "--list", "--json").json()
    formats = {each["name"]: each for each in document["formats"]}
    assert list(formats) == list(export_texts())
    assert (formats["onnx"]["extra"], formats["onnx"]["missing"]) == ("onnx", [])
    assert {each["name"] for each in document["not_offered"]} >= {"torchserve", "coreml", "litert"}
    assert {each["instead"] for each in document["not_offered"]} <= set(formats)
    told = run("export", "--list").out
    assert all(each["why"] in told for each in document["not_offered"])


@pytest.mark.row("S257")
def test_that_doctor_tells_what_is_here(run):
    done = run("doctor", "--json")
    document = done.json()
    assert done.code == (0 if document["ok"] else 1)
    assert document["versions"]["torch"]
    assert document["threads"] >= 1
    assert "cpu" in document["devices"]
    assert document["computes_on"].split(", ")[0] == "cpu"
    assert document["built_for"]
    assert "torch" in run("doctor").out


def test_that_doctor_speaks_chinese_in_a_chinese_terminal(run, monkeypatch):
    monkeypatch.setenv("LC_ALL", "zh_CN.UTF-8")
    lines = [line for line in run("doctor").out.splitlines() if line and line[0] != "!"]
    starts = ("Python ", "系统", "版本", "处理器核数", "可用内存", "内存", "可用磁盘", "设置")
    for line, start in zip(lines, starts, strict=False):
        assert line.startswith(start)


def _module(project: Path):
    from engine.model.module import to_module

    return to_module(Project.open(project).graph)


QUICK_COMMANDS = (
    "main(['templates'])",
    "main(['new', sys.argv[1], '--template', 'iris-mlp'])",
    "main(['runs', sys.argv[1]])",
    "main(['events', sys.argv[1], 'latest'])",
)


@pytest.mark.real
def test_that_the_light_commands_load_neither_torch_nor_qt(tmp_path):
    code = (
        "import sys; from studio.cli import main\n"
        + "\n".join(QUICK_COMMANDS)
        + "\nnames = {name.split('.')[0] for name in sys.modules}\n"
        "print(names & {'torch', 'torchvision', 'PySide6', 'shiboken6', 'pyqtgraph', 'sklearn'})"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "p")],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.splitlines()[-1] == "set()"


@pytest.mark.real
def test_that_training_and_exporting_load_no_qt(project, tmp_path, plain_python):
    code = (
        "import sys; from studio.cli import main\n"
        "folder, output = sys.argv[1:]\n"
        "codes = [main(['train', folder, '--epochs', '1', '--mode', 'thread', '--quiet']),\n"
        "         main(['evaluate', folder, '--run', 'latest']),\n"
        "         main(['export', folder, '--run', 'latest', '--format', 'python',\n"
        "               '--output', output]),\n"
        "         main(['doctor'])]\n"
        "print(codes[:3], {n.split('.')[0] for n in sys.modules} & {'PySide6', 'pyqtgraph'})"
    )
    files = (str(project), str(tmp_path / "m.py"))
    done = plain_python.run(*files, folder=ROOT, code=code, path=[ROOT])
    assert done.stdout.splitlines()[-1] == "[0, 0, 0] set()"


@pytest.mark.row("P24")
def test_that_runs_of_all_recent_projects_are_listed(run, tmp_path):
    store = SettingsStore()
    before = store.value.recent
    for name in ("one", "two"):
        run("new", tmp_path / name, "--template", "iris-mlp")
        opened = Project.open(tmp_path / name)
        RunFolder.create(opened.path, opened.graph, opened.spec, f"run of {name}")
        store.add_recent(opened.path)
    listed = run("runs", "--all", "--json").json()["runs"]
    found = {row["name"]: row["project"] for row in listed}
    assert found["run of one"] == str(tmp_path / "one")
    assert found["run of two"] == str(tmp_path / "two")
    assert "run of one" in run("runs", "--all").out
    assert run("runs").code == run("runs", tmp_path / "one", "--all").code == 2
    store.change(recent=before)
