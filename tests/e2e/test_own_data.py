"""Data of the user in the real window: from the welcome page to a model that has learnt."""

import random
from pathlib import Path

import pytest

from engine.project import Project
from engine.runs.folder import runs_of
from engine.runs.follow import read_state
from tests.e2e.conftest import Start
from tests.e2e.screen import LOADING_S
from tests.e2e.work import wait_for_run

pytestmark = [pytest.mark.window, pytest.mark.timeout(600)]


@pytest.fixture
def table(home: Path) -> Path:
    """Return a table of another country: an id, a date, a number with gaps, and what they say."""
    numbers = random.Random(5)
    rows = ["id;日期;长度;kind;weather"]
    for row in range(240):
        length = numbers.uniform(1, 9)
        shown = "" if row % 20 == 0 else f"{length:.2f}".replace(".", ",")
        kind = "long" if length > 5 else "short"
        rows.append(
            f"K{row:05};{1 + row % 28:02}.03.2024;{shown};{kind};{numbers.choice(['dry', 'wet'])}"
        )
    folder = home / "my own data"
    folder.mkdir()
    file = folder / "lengths of 2024.csv"
    file.write_bytes("\n".join(rows).encode("gb18030"))
    return file


@pytest.mark.row("N14", "P13")
def test_that_a_table_of_ones_own_is_opened_and_trained(start: Start, home: Path, table: Path):
    program = start()
    program.click("welcome.data")
    program.fill("dialog.data.path", str(table.with_name("missing.csv")))
    program.widget("dialog.data.inputs.problem", lambda w: "missing.csv" in str(w["text"]))
    program.click("dialog.data.path")
    program.key("ctrl+a", "BackSpace")
    program.fill("dialog.data.path", str(table))
    program.wait_until_gone("dialog.data.inputs.problem", LOADING_S)
    program.widget("dialog.data.create", lambda w: w["enabled"], LOADING_S)
    row = program.row("dialog.data.rows", "K00003")
    assert "长度" in row["cells"]  # as it was written, though a few letters say so
    program.click("dialog.data.steps.target")  # the last column is proposed
    program.choose("dialog.data.target", "kind")
    program.widget("dialog.data.create", lambda w: w["enabled"], LOADING_S)
    program.click("dialog.data.create")
    program.widget("canvas", timeout_s=LOADING_S)
    program.key("F5")
    wait_for_run(program, "finished")
    project = Project.open(home / "Documents/Trellis/lengths of 2024")
    assert project.spec.data.source.params["target"] == "kind"
    (run,) = runs_of(project.path)
    accuracy = read_state(run).metrics["test.accuracy"]
    assert accuracy > 0.8  # the length says it; half of them is chance
    program.key("ctrl+q")
    assert program.end() == 0
