"""From the welcome page to a model of one's own data without typing: what is chosen with the mouse
in Qt's own dialogs, the proposals as they stand, the run to its end, its results, and all of it
again when the project is opened another time.
"""

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from tests.e2e.conftest import Start
from tests.e2e.screen import LOADING_S, Program
from tests.e2e.work import give_command, wait_for_run

pytestmark = [pytest.mark.window, pytest.mark.timeout(600)]
MOST_CLICKS = 6
EPOCHS = 15
SENTENCE = "the quick brown fox jumps over the lazy dog. "


@pytest.fixture
def pictures(home: Path) -> Path:
    """Return a folder of dark cats and light dogs."""
    folder, chance = home / "我的 pets", np.random.default_rng(0)
    for name, shade in (("cats", 20), ("dogs", 200)):
        (folder / name).mkdir(parents=True)
        for number in range(20):
            values = shade + chance.integers(0, 40, (16, 16, 3))
            Image.fromarray(values.astype(np.uint8)).save(folder / name / f"{number}.png")
    return folder


@pytest.fixture
def text(home: Path) -> Path:
    """Return a file of one sentence many times."""
    file = home / "一 sentence.txt"
    file.write_text(SENTENCE * 400, "utf-8")
    return file


def choose(program: Program, button: str, data: Path, answer: str) -> None:
    """Choose a file or folder in the dialog that the button opens."""
    program.click("welcome.data")
    program.click(f"dialog.data.{button}")
    program.click(program.row("treeView", data.name))
    program.click(program.wait_for(lambda b: b["enabled"], ask="button", text=answer))


def create_and_train(program: Program) -> None:
    """Take what is proposed, assert what hands had to do, and wait for the end of the run, which is
    made shorter than proposed while it goes on.
    """
    program.widget("dialog.data.train", lambda w: w["enabled"], LOADING_S)
    program.click("dialog.data.train")
    assert (program.clicks <= MOST_CLICKS, program.keys) == (True, 0)
    wait_for_run(program, "running")
    program.replace_text("train.live.length", str(EPOCHS))
    wait_for_run(program, "finished")


def reopened(program: Program, start: Start, project: Path) -> Program:
    """Close the window, which asks nothing, and open the project again: its run is there."""
    program.key("ctrl+q")
    assert program.end() == 0
    again = start(project)
    again.click("workspace.train")
    wait_for_run(again, "finished")
    return again


@pytest.mark.row("P13", "S200")
def test_that_a_folder_of_pictures_is_trained_with_six_clicks(
    start: Start, home: Path, pictures: Path
) -> None:
    program = start(folder=home)
    choose(program, "folder", pictures, "Choose")
    program.row("dialog.data.pictures", "cats")
    create_and_train(program)
    examine(program)
    program = reopened(program, start, home / "Documents/Trellis" / pictures.name)
    examine(program)
    program.key("ctrl+q")
    assert program.end() == 0


def examine(program: Program) -> None:
    """Have the test pictures predicted: all of them rightly, so different are the classes."""
    give_command(program, "results")
    program.click("results.examine")
    program.widget("results.summary", lambda w: "accuracy 1" in str(w["text"]), LOADING_S)
    program.row("results.gallery", "dogs")


@pytest.mark.row("P13", "S200")
def test_that_a_text_is_learnt_with_six_clicks_and_written_on(
    start: Start, home: Path, text: Path
) -> None:
    program = start(folder=home)
    choose(program, "file", text, "Open")
    program.row("dialog.data.rows", "quick brown fox")
    create_and_train(program)
    write(program)
    program = reopened(program, start, home / "Documents/Trellis" / text.stem)
    write(program)
    program.key("ctrl+q")
    assert program.end() == 0


def write(program: Program) -> None:
    """Have the model write in the letters that it read."""
    give_command(program, "playground")
    program.click("playground.generate")
    written = program.widget("playground.written", lambda w: len(str(w["text"])) > 40, LOADING_S)
    assert set(str(written["text"])) <= set(SENTENCE + "\n")
