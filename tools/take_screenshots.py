"""Take the pictures of the window that the documents show.

python -m tools.take_screenshots            write docs/screenshots/*.png
python -m tools.take_screenshots --to DIR   write them elsewhere

A project is made from a template and trained for a few epochs, so that there are curves to see.
Then pages of Inspect are taken of it, of a spiral, of a model that is ill, and of a run that stands
at a breakpoint; at last some models are imported or made, and taken as they lie on the canvas.
Those of the dialog for own data are not: they show what is wanted only after buttons were pressed.
"""

import argparse
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import torch
from msgspec.structs import replace
from PIL import Image

from engine.data.source.registry import load_source
from engine.events import (
    Breakpoint,
    CaptureGraph,
    CaptureTensor,
    ProfileSteps,
    SetBreakpoints,
    Stop,
)
from engine.graph.edit.edits import SetParam, apply
from engine.graph.model import Initial
from engine.graph.node_state.initialization import SetInitial
from engine.project import Project
from engine.project.breakpoint_file import write_breakpoints
from engine.runs.folder import RunFolder
from engine.runs.follow import read_state
from engine.runs.process.launch import Launch
from engine.spec.run import CheckpointSpec, Choice, DataSpec, LossTerm, RunSpec
from engine.spec.transform import TransformSpec
from engine.train.worker import run_in_thread

ROOT = Path(__file__).parents[1]
TEMPLATE = "digits-cnn"
LIMIT_BYTES = 300_000
_LIMIT_S = 600.0
PICTURES: tuple[tuple[str, str, str], ...] = (  # workspace or its page, theme, language
    *((name, "light", "en") for name in ("welcome", "model", "train", "runs", "export")),
    *((name, "dark", "en") for name in ("welcome", "model", "train", "runs", "export")),
    ("model", "light", "zh_CN"),
    ("train", "dark", "zh_CN"),
    ("data.map", "light", "en"),
    ("data.map", "dark", "en"),
    ("data.map", "dark", "zh_CN"),
    ("inspect", "light", "en"),
    ("inspect", "dark", "zh_CN"),
    ("inspect.lab", "light", "en"),
    ("inspect.lab", "dark", "zh_CN"),
)
DATA: tuple[tuple[str, str, str, str], ...] = (  # project, page of Data, theme, language
    *(
        ("pictures", page, theme, language)
        for page in ("samples", "transforms", "pipeline", "health")
        for theme, language in (("light", "en"), ("dark", "en"), ("dark", "zh_CN"))
    ),
    ("table", "samples", "light", "en"),
    ("table", "samples", "dark", "en"),
    ("table", "samples", "dark", "zh_CN"),
    ("boxes", "samples", "light", "en"),
    ("boxes", "samples", "dark", "zh_CN"),
)
INSPECTED = {  # pages of Inspect, by the project that they are taken of
    "digits": (*("layers", "tensors", "results", "playground", "memory", "profile", "landscape"),),
    "spiral": ("surface",),
    "ill": ("doctor",),
    "shapes": ("results", "playground"),
    "plays": ("playground",),
}
NAMED = {"shapes": "mask-", "plays": "text-"}  # before names of pictures that others have, too
SIDE = 64  # of the images that the models are given: enough for a picture
MODELS: dict[str, tuple[str, ...]] = {  # by picture the command that makes the project
    "resnet18": ("import", "resnet18", "--input", f"3x{SIDE}x{SIDE}"),
    "unet": ("import", "tools/unet.py::UNet", "--input", f"3x{SIDE}x{SIDE}"),
    "attention-decoder": ("new", "--template", "attention-decoder"),
}


def trellis(*arguments: str) -> None:
    """Run a command of the program; its error ends this script."""
    subprocess.run([sys.executable, str(ROOT / "main.py"), *arguments], cwd=ROOT, check=True)


def file_name(workspace: str, theme: str, language: str) -> str:
    """Return the name of a picture: ``model-light.png``, ``model-light.zh_CN.png``."""
    page = workspace.rpartition(".")[2]
    return f"{page}-{theme}{'' if language == 'en' else f'.{language}'}.png"


def make_model(name: str, place: Path) -> Path:
    """Make the project of a picture and give it data, so that it says what goes in."""
    verb, *rest = MODELS[name]
    project = place / name
    trellis(verb, *([rest.pop(0)] if verb == "import" else []), str(project), *rest)
    if verb == "import":
        made = Project.open(project)
        node = next(node for node in made.graph.nodes.values() if node.type == "Input")
        made.graph = apply(SetParam(id=node.id, name="field", value="image"), made.graph)
        shape = {"shape": (3, SIDE, SIDE), "samples": 200}
        source = DataSpec(source=Choice(type="random", params=dict(shape)), batch_size=16)
        inputs = {"input": "model.output", "target": "data.label"}
        loss = LossTerm(loss=Choice(type="CrossEntropyLoss"), inputs=inputs)
        made.spec = RunSpec(data=source, losses=(loss,) if name == "resnet18" else ())
        made.save()
    return project


def train_watched(project: Path) -> None:
    """Train a run that is looked into from its first step on."""
    made = Project.open(project)
    often = CheckpointSpec(every_steps=20, keep_last=20)
    spec = replace(made.spec, epochs=8, checkpoint=often)
    run = RunFolder.create(project, made.graph, spec, "Watched")
    run.send(CaptureGraph())
    run.send(ProfileSteps())
    run.send(CaptureTensor(kind="activation", name="conv2"))
    run_in_thread(Launch(folder=str(run.path))).join(_LIMIT_S)


@contextmanager
def standing(project: Path) -> Iterator[None]:
    """Let a run stand before a layer, at a breakpoint of the project, until this is over."""
    trellis("new", str(project), "--template", TEMPLATE)
    points = (
        Breakpoint(kind="layer", place="conv2"),
        Breakpoint(kind="gradient", value=100.0),
        Breakpoint(kind="not_finite"),
    )
    made = Project.open(project)
    write_breakpoints(made.state_folder, points)
    run = RunFolder.create(project, made.graph, made.spec, "Standing")
    run.send(SetBreakpoints(breakpoints=points))
    thread = run_in_thread(Launch(folder=str(run.path)))
    deadline = time.monotonic() + _LIMIT_S
    while read_state(run).stop is None and time.monotonic() < deadline:
        time.sleep(0.1)
    try:
        yield
    finally:
        run.send(Stop())
        thread.join(_LIMIT_S)


def make_inspected(place: Path) -> None:
    """Train on a spiral and on shapes, and make a model whose first layer is silent."""
    spiral, ill = str(place / "spiral"), place / "ill"
    trellis("new", spiral, "--template", "spiral-mlp")
    trellis("train", spiral, "--epochs", "40", "--quiet")
    plays = str(place / "plays")
    trellis("new", plays, "--template", "character-gpt")
    trellis("train", plays, "--quiet")
    shapes = str(place / "shapes")
    trellis("new", shapes, "--template", "unet-shapes")
    trellis("train", shapes, "--quiet")
    trellis("new", str(ill), "--template", "digits-mlp")
    made = Project.open(ill)
    dead = Initial(type="constant_", params={"val": -50.0})
    made.graph = apply(SetInitial(ids=("hidden1",), weight="bias", initial=dead), made.graph)
    made.save()


def make_pictures(place: Path) -> None:
    """Train on a folder of pictures in which some are copies, damaged, or in the wrong class."""
    folder = place / "photos"
    drawn = load_source(Choice(type="shapes", params={"samples": 240, "classes": 4, "size": 96}))
    batch = drawn.read(range(drawn.samples))
    for index, (image, label) in enumerate(zip(batch["image"], batch["label"], strict=True)):
        file = folder / drawn.infos[1].classes[int(label)] / f"{index:03}.png"
        file.parent.mkdir(parents=True, exist_ok=True)
        Image.fromarray((image * 255).to(torch.uint8).permute(1, 2, 0).numpy()).save(file)
    first, second, *_ = (sorted(each.iterdir()) for each in sorted(folder.iterdir()))
    for file in first[:3]:
        shutil.copy(file, file.with_stem(f"{file.stem}-copy"))
    shutil.copy(second[0], first[0].with_stem("other"))
    first[4].write_bytes(first[4].read_bytes()[:200])
    trellis("new", str(place / "pictures"), "--data", str(folder))
    made = Project.open(place / "pictures")
    steps = (
        TransformSpec(type="RandomResizedCrop", params={"size": 96, "scale": (0.5, 1.0)}),
        TransformSpec(type="RandomHorizontalFlip"),
        TransformSpec(type="ColorJitter", params={"brightness": 0.3, "hue": 0.1}),
    )
    data = made.spec.data
    source = replace(data.source, params=data.source.params | {"on_damaged": "replace"})
    loader = replace(data.loader, num_workers=2)
    data = replace(data, source=source, transforms=steps, loader=loader)
    made.spec = replace(made.spec, data=data)
    made.save()
    trellis("train", str(place / "pictures"), "--epochs", "6", "--quiet")


def make_data(place: Path) -> None:
    """Make the projects whose pages of Data are taken."""
    make_pictures(place)
    wines = load_source(Choice(type="wine"))
    batch = wines.read(range(wines.samples))
    numbers, growers = (torch.stack(list(batch[field.name])).tolist() for field in wines.infos)
    columns = (*(f"measure {number}" for number in range(1, len(numbers[0]) + 1)), "grower")
    rows = zip(numbers, growers, strict=True)
    lines = (
        ",".join([*(f"{value:.4g}" for value in row), f"grower {grower + 1}"])
        for row, grower in rows
    )
    table = place / "wines.csv"
    table.write_text("\n".join([",".join(columns), *lines]), encoding="utf-8")
    trellis("new", str(place / "table"), "--data", str(table))
    trellis("train", str(place / "table"), "--quiet")
    trellis("new", str(place / "boxes"), "--template", "detect-shapes")


def main() -> int:
    """Make a project, train it and take all pictures; 1 where one is too large."""
    parser = argparse.ArgumentParser(description="Take the pictures of the documents.")
    parser.add_argument("--to", type=Path, default=ROOT / "docs" / "screenshots")
    folder = parser.parse_args().to
    folder.mkdir(parents=True, exist_ok=True)
    failed = 0
    with TemporaryDirectory(prefix="trellis-") as place:
        project = str(Path(place) / "digits")
        trellis("new", project, "--template", TEMPLATE)
        trellis("train", project, "--epochs", "8", "--name", "First", "--quiet")
        trellis("train", project, "--epochs", "8", "--set", "optimizer=SGD", "--quiet")
        train_watched(Path(project))
        for workspace, theme, language in PICTURES:
            output = folder / file_name(workspace, theme, language)
            look = ("--theme", theme, "--lang", language, "--size", "1440x900")
            trellis("screenshot", project, "--workspace", workspace, "--output", str(output), *look)
            failed |= is_too_large(output)
        with standing(Path(place) / "standing"):
            failed |= take_page("debugger", Path(place) / "standing", folder)
        make_data(Path(place))
        for name, page, theme, language in DATA:
            title = file_name(page if name == "pictures" else name, theme, language)
            output = folder / f"data-{title}"
            look = ("--theme", theme, "--lang", language, "--size", "1440x900")
            made = str(Path(place) / name)
            trellis(
                "screenshot", made, "--workspace", f"data.{page}", "--output", str(output), *look
            )
            failed |= is_too_large(output)
        make_inspected(Path(place))
        for name, pages in INSPECTED.items():
            for page in pages:
                failed |= take_page(page, Path(place) / name, folder)
        for name in MODELS:
            output = folder / f"model-{name}.png"
            look = ("--theme", "light", "--lang", "en", "--size", "1680x945")
            made = str(make_model(name, Path(place)))
            trellis("screenshot", made, "--workspace", "model", "--output", str(output), *look)
            failed |= is_too_large(output)
    return failed


def take_page(page: str, project: Path, folder: Path) -> int:
    """Take a page of Inspect; 1 where its picture is too large."""
    output = folder / f"inspect-{NAMED.get(project.name, '')}{page}.png"
    wanted = ("--workspace", f"inspect.{page}", "--output", str(output))
    trellis("screenshot", str(project), *wanted, "--size", "1280x800")
    return is_too_large(output)


def is_too_large(picture: Path) -> int:
    """Return 1 and say so for a picture that would make the repository heavy. One with photographs
    gets a palette of 256 colors first.
    """
    if picture.stat().st_size > LIMIT_BYTES:
        Image.open(picture).convert("RGB").quantize(256, dither=Image.Dither.NONE).save(picture)
    if picture.stat().st_size <= LIMIT_BYTES:
        return 0
    sys.stdout.write(f"{picture.name}: more than {LIMIT_BYTES} bytes\n")
    return 1


if __name__ == "__main__":
    sys.exit(main())
