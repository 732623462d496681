"""Exported training code trains on another machine from its README alone, as the run did."""

import re
import runpy
import shlex
import shutil
from ast import literal_eval
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

from engine.api import evaluate, export
from engine.catalog.registry import catalog
from engine.catalog.spec import EntryGroup
from engine.data.load.load import load_data
from engine.runs.folder import RunFolder
from engine.runs.follow import read_state
from engine.runs.process.launch import Launch
from engine.runs.record.state import RunStatus
from engine.runs.record.store import RunStore
from engine.train.worker import run_in_thread
from tests.exported_kinds import KINDS, proposed
from tests.plain_python import PlainPython
from tests.tiny_run import PATIENCE_S

MOVED = {
    "pictures": "photos",
    "table": "t.csv",
    "pictures_of_a_table": "mixed",
    "texts_of_a_table": "t.csv",
    "words": "texts",
    "language_model": "文 本.txt",
    "pairs": "pairs.txt",
    "masks": "masks",
    "objects": "coco",
    "sounds": "声音",
}
"""What the user has moved elsewhere, by kind."""
WITHOUT_CLASSES = ("table", "objects")
EPOCHS = 2


@pytest.mark.real
@pytest.mark.usefixtures("unconfined")
@pytest.mark.row("P19", "S099", "S373", "S241")
@pytest.mark.timeout(900)
@pytest.mark.parametrize("name", MOVED)
def test_that_the_readme_is_enough_to_train_with_the_losses_of_the_run(
    tmp_path, name, plain_python
):
    here, there = tmp_path / "here", tmp_path / "there"
    here.mkdir()
    there.mkdir()
    graph, spec = proposed(KINDS[name], here)
    data = replace(spec.data, shuffle=True)
    run = RunFolder.create(tmp_path / "project", graph, replace(spec, data=data, epochs=EPOCHS))
    assert run_in_thread(Launch(folder=str(run.path))).join(PATIENCE_S)
    assert read_state(run).status is RunStatus.FINISHED
    export(run.path, "python-class", there / "net.py", checkpoint="last")
    samples = load_data(data, graph.code).samples("train")
    expected = evaluate(run.path, "last", "test").metrics
    with RunStore.open(run.path) as store:
        losses = store.scalars("train.loss").values
    here.rename(tmp_path / "moved")
    shutil.rmtree(tmp_path / "project")

    trained = told_by_readme(plain_python, there, tmp_path / "moved" / MOVED[name], "--epochs")
    history = [trained(f"epoch {number}")["loss"] for number in (1, 2)]
    steps = np.asarray(losses).reshape(EPOCHS, -1)
    sizes = np.full(steps.shape[1], data.batch_size)
    sizes[-1] = samples - data.batch_size * (len(sizes) - 1)
    assert history == pytest.approx(((steps * sizes).sum(axis=1) / samples).tolist(), rel=1e-12)
    assert trained("test")["loss"] == expected["test.loss"]
    if name == "pictures":
        assert spec.scheduler is None
        entry = catalog().entry(EntryGroup.OPTIMIZER, spec.optimizer.type)
        rate = entry.value(spec.optimizer.params, "lr")
        batch = f"--batch-size {data.batch_size}"
        place = tmp_path / "moved" / MOVED[name]
        same = told_by_readme(plain_python, there, place, "--epochs", f"{batch} --lr {rate}")
        assert same("test") == trained("test")
        other = told_by_readme(plain_python, there, place, "--epochs", f"{batch} --lr {rate / 100}")
        assert other("epoch 1") != trained("epoch 1")
        evaluated = told_by_readme(plain_python, there, tmp_path / "moved" / MOVED[name])
        assert evaluated("test") == trained("test")
    found = trained("test")
    assert "test.accuracy" in expected or name in WITHOUT_CLASSES
    for metric, told in (("accuracy", "metric"), ("mask_map", "mask_map"), ("map", "metric")):
        if f"test.{metric}" in expected:
            value = found[metric if metric in found else told]
            assert value == pytest.approx(expected[f"test.{metric}"], abs=1e-6), metric


def test_that_a_table_with_other_columns_is_no_table_of_missing_values(tmp_path):
    graph, spec = proposed(KINDS["table"], tmp_path)
    run = RunFolder.create(tmp_path / "project", graph, replace(spec, epochs=1))
    assert run_in_thread(Launch(folder=str(run.path))).join(PATIENCE_S)
    export(run.path, "python-class", tmp_path / "net.py", checkpoint="last")
    table = tmp_path / MOVED["table"]
    samples = runpy.run_path(str(tmp_path / "net.py"), run_name="net")["RunSamples"]
    assert len(samples(table)) > 0
    table.write_text(table.read_text("utf-8").replace(";", "|"), "utf-8")
    with pytest.raises(ValueError, match="has no column"):
        samples(table)


def told_by_readme(
    plain: PlainPython, folder: Path, data: Path, wanted: str = "", options: str = ""
) -> Callable[[str], dict[str, float]]:
    """Return what the first command of the README with an option says, by part; ``options`` are
    more of them.
    """
    readme = (folder / "net.README.md").read_text(encoding="utf-8")
    commands = [
        line.partition("#")[0] for line in re.findall(r"^    (python .*)$", readme, re.MULTILINE)
    ]
    command = next(
        each for each in commands if (wanted in each if wanted else "--epochs" not in each)
    )
    words = [str(data) if word == "PATH" else word for word in shlex.split(command)]
    ran = plain.run(*words[1:], *options.split(), folder=folder)
    assert ran.returncode == 0, ran.stderr
    lines = dict(
        line.split(": ", 1) for line in ran.stdout.splitlines() if re.match(r"[a-z ]+\d*: \{", line)
    )
    return lambda part: literal_eval(lines[part].replace("nan", "None"))
