"""The main job in the real window: from an empty project to files that run without us."""

import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest

from tests.e2e.conftest import Start
from tests.e2e.screen import LOADING_S, Place, Program
from tests.e2e.work import (
    choose_data,
    create_project,
    drag_layers,
    start_run,
    step_of,
    wait_for_run,
    wait_for_steps,
    wire,
)

EPOCHS = 2
LAYERS = (
    ("input", "Input", "x"),
    ("flatten", "Flatten", "flatten"),
    ("linear", "Linear", "linear"),
    ("relu", "ReLU", "relu"),
    ("dropout", "Dropout", "dropout"),
    ("linear", "Linear", "linear2"),
    ("output", "Output", "output"),
)

# Plain Python: the exported files, scikit-learn's digits and the documented split, nothing of ours.
JUDGE = """
import sys, runpy
import torch
from sklearn.datasets import load_digits

assert not any(name.split(".")[0] in ("engine", "studio", "widgets") for name in sys.modules)
digits = load_digits()
images = torch.tensor(digits.images, dtype=torch.float32).reshape(-1, 1, 8, 8) / 16
labels = torch.tensor(digits.target)
order = torch.randperm(len(labels), generator=torch.Generator().manual_seed(0))
part = order[-int(sys.argv[3]):]
exported = runpy.run_path(sys.argv[1])
model = exported["load_model"]()
weights = torch.load(sys.argv[2], weights_only=True)
assert all(torch.equal(value, weights[name]) for name, value in model.state_dict().items())
with torch.no_grad():
    right = (model(images[part]).argmax(1) == labels[part]).float().mean()
print(f"{right.item():.6g}")
"""


@pytest.mark.window
@pytest.mark.timeout(600)
@pytest.mark.row("N03", "N22", "N25", "P26")
def test_that_the_main_job_works_from_an_empty_project_to_the_files(start: Start, home: Path):
    project = home / "my-digits"
    program = start()
    create_project(program, project)
    draw_model(program)
    mend_through_problems(program)
    choose_digits(program)
    stopped_at = train_pause_stop(program)
    close_and_save(program)
    program = start(project)
    resume_to_the_end(program, stopped_at)
    reported = export_both(program, home)
    test_samples = data_fact(program, "Test")
    program.key("ctrl+q")
    assert program.end() == 0
    assert judge(home, test_samples) == reported


def draw_model(program: Program) -> None:
    drag_layers(program, LAYERS)
    names = [name for _, _, name in LAYERS]
    for source, target in pairwise(names):
        wire(program, source, target)


def mend_through_problems(program: Program) -> None:
    """Give the last layer too few outputs, then follow the problem to its field."""
    program.click(program.node("linear2"))
    program.widget("inspector.name", lambda w: w["text"] == "linear2")
    program.replace_text("field.out_features", "5")
    problem = program.row("problems", "10 classes, but the model returns 5", LOADING_S)
    assert problem["cells"]["2"] == "linear2.out_features"  # type: ignore[index]
    program.click(program.node("flatten", lambda n: not n["is_selected"]))
    program.click(problem)
    program.node("linear2", lambda n: n["is_selected"] and n["severity"] == "error")
    program.node("linear2", lambda n: is_amid(n, program.widget("canvas")))
    program.widget("inspector.name", lambda w: w["text"] == "linear2")
    program.widget("field.out_features", lambda w: w["has_focus"])
    program.key("ctrl+a")
    program.type("10")
    program.key("Return")
    program.node("linear2", lambda n: n["severity"] is None)
    program.widget("field.out_features", lambda w: w["text"] == "10")


def is_amid(node: Place, canvas: Place) -> bool:
    """Return whether a node is in the middle of the canvas."""
    return all(
        abs(node[at] + node[size] / 2 - canvas[at] - canvas[size] / 2) < 12  # type: ignore[operator]
        for at, size in (("x", "w"), ("y", "h"))
    )


def choose_digits(program: Program) -> None:
    """Choose flowers first: the model follows the choice, also back."""
    choose_data(program, "Iris flowers")
    program.widget("data.fact0.value", lambda w: w["text"] == "150")
    choose_data(program, "Handwritten digits")
    program.widget("data.fact0.value", lambda w: w["text"] == "1,797")
    program.widget("data.gallery")
    program.wait_until_gone("data.fit")
    program.replace_text("field.data.batch_size", "1")


def train_pause_stop(program: Program) -> int:
    start_run(program, EPOCHS)
    program.click("train.pause")
    wait_for_run(program, "paused")
    at = step_of(program.widget("train.place"))
    program.click("train.step")
    program.widget("train.place", lambda w: step_of(w) == at + 1)
    program.click("train.pause")
    wait_for_steps(program, at + 1)
    program.click("train.stop")
    wait_for_run(program, "stopped")
    stopped_at = step_of(program.widget("train.place"))
    assert at + 1 < stopped_at < 2516
    return stopped_at


def close_and_save(program: Program) -> None:
    program.key("ctrl+q")
    program.click("question.unsaved.save")
    assert program.end() == 0


def resume_to_the_end(program: Program, stopped_at: int) -> None:
    program.node("linear2")
    program.click("workspace.train")
    wait_for_run(program, "stopped")
    assert step_of(program.widget("train.place")) == stopped_at
    program.click("train.resume")
    wait_for_run(program, "finished")
    program.widget("train.place", lambda w: "step 2516 of 2516" in str(w["text"]))


def export_both(program: Program, home: Path) -> str:
    """Write weights and code; return the test accuracy that the table of runs shows."""
    program.click("workspace.runs")
    row = program.row("runs.table", "finished")
    program.click("workspace.export")
    for format_title, file in (("state_dict", "weights.pt"), ("Python", "model.py")):
        program.choose("export.format", format_title)
        program.widget("export.save", lambda w: w["enabled"])  # the runs are known: a file is named
        program.replace_text("export.path", str(home / file))
        program.click("export.save")
        program.widget(
            "export.result",
            lambda w, file=file: file in w["text"] and "Largest difference: 0." in w["text"],
        )
    return row["cells"]["test accuracy"]  # type: ignore[index]


def data_fact(program: Program, label: str) -> str:
    program.click("workspace.data")
    for index in range(10):
        name = program.widget(f"data.fact{index}.name")
        if name["text"] == label:
            return str(program.widget(f"data.fact{index}.value")["text"])
    raise AssertionError(label)


def judge(home: Path, test_samples: str) -> str:
    """Return the accuracy that a plain Python process finds with nothing but the files."""
    done = subprocess.run(
        [
            *(sys.executable, "-I", "-c", JUDGE),
            *(str(home / "model.py"), str(home / "weights.pt"), test_samples),
        ],
        cwd=home,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()
