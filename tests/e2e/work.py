"""What a user does with mouse and keys, in steps that several tests need."""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path

import psutil

from engine.runs.folder import RunFolder, runs_of
from engine.runs.process.run_lock import read_tag
from tests.e2e.screen import LOADING_S, Place, Program

Layer = tuple[str, str, str]  # what is typed into the search, the entry, the name it will have


def give_command(program: Program, words: str) -> None:
    """Choose a command by words of it, as Ctrl+K finds it."""
    program.key("ctrl+k")
    program.widget("commands.search")
    program.type(words)
    program.key("Return")


def create_project(program: Program, folder: Path) -> None:
    """Make an empty project from the welcome page."""
    program.click("welcome.new")
    program.widget("dialog.new")
    for field, text in (("name", folder.name), ("folder", str(folder.parent))):
        program.fill(f"dialog.new.{field}", text)
    program.click("dialog.new.create")
    program.widget("canvas")


def drag_layers(program: Program, layers: Sequence[Layer]) -> None:
    """Drag layers from the palette onto the canvas, three in a row."""
    canvas = program.widget("canvas")
    for index, (search, entry, name) in enumerate(layers):
        program.fill("palette.search", search)
        x, y = 150 + index % 3 * 260, 80 + index // 3 * 130
        place: Place = {"x": canvas["x"] + x, "y": canvas["y"] + y, "w": 0, "h": 0}  # type: ignore[operator]
        for _ in range(3):  # on a busy machine the button is up before Qt has begun the drag
            program.drag(program.row("palette.tree", entry), place)
            with suppress(AssertionError):
                program.node(name, timeout_s=20)
                break
        program.node(name)


def wire(program: Program, source: str, target: str) -> None:
    """Draw a wire from the output of a node to the input of another."""

    def port(node: str, name: str) -> Place:
        return program.wait_for(ask="port", node=node, port=name, side=name)

    program.drag(port(source, "output"), port(target, "input"))
    program.wait_for(lambda p: p["is_wired"], ask="port", node=target, port="input", side="input")


def choose_data(program: Program, title: str) -> None:
    """Choose a data set in the Data workspace."""
    program.click("workspace.data")
    program.choose("field.data.source", title)
    program.widget("field.data.source", lambda w: w["text"] == title)


def start_run(program: Program, epochs: int) -> None:
    """Set the number of epochs and start; return when the first steps are done."""
    program.click("workspace.train")
    program.scroll_to("field.epochs", "train.form")
    program.replace_text("field.epochs", str(epochs))
    program.click("train.start")
    wait_for_steps(program)


def start_known_run(program: Program, project: Path) -> RunFolder:
    """Start the run of a project as it is and return its folder when the first steps are done."""
    program.click("workspace.train")
    program.click("train.start")
    wait_for_steps(program)
    return runs_of(project)[-1]


def worker_of(run: RunFolder) -> psutil.Process:
    """Return the process that trains a run."""
    tag = read_tag(run.path)
    assert tag is not None
    return psutil.Process(tag.pid)


def family_of(program: Program) -> set[psutil.Process]:
    """Return the program and all processes that it has started and that are there now."""
    process = psutil.Process(program.process.pid)
    return {process, *process.children(recursive=True)}


def living(processes: Iterable[psutil.Process]) -> set[psutil.Process]:
    """Return the processes that have not ended."""
    return {p for p in processes if p.is_running() and p.status() != psutil.STATUS_ZOMBIE}


def wait_for_steps(program: Program, more_than: int = 0) -> int:
    """Wait until the run that is shown is running and beyond a step; return its step."""
    wait_for_run(program, "running")
    return step_of(program.widget("train.place", lambda place: step_of(place) > more_than))


def wait_for_run(program: Program, state: str) -> None:
    """Wait until the run that is shown is in a state."""
    program.widget("train.run", lambda w: str(w["text"]).endswith(f"· {state}"), LOADING_S)


def step_of(place: Place) -> int:
    """Return the step of ``epoch 1 of 3, step 254 of 3774``; 0 while it is not known."""
    words = str(place["text"]).split()
    return int(words[words.index("step") + 1]) if "step" in words else 0
