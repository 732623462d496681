"""Runs on texts that keep their own length, with a mask of the padding: resumed in mid-epoch, and
what predictions and exported code make of a new text.
"""

import runpy
from pathlib import Path

import pytest
import torch

from engine.api import export, predict, predict_file
from engine.data.load.load import load_data
from engine.graph.draft import Draft
from engine.graph.model import Graph
from engine.query.ask import ask
from engine.query.results.request import DescribeModel
from engine.runs.folder import RunFolder
from engine.runs.record.state import RunStatus
from engine.spec.run import CheckpointSpec, Choice, DataSpec
from tests.tiny_run import CROSS_ENTROPY, curves, iris_spec, stop_amid, train

pytestmark = pytest.mark.row("S139")
WORDS = 6
TEXT = "red red green"


def texts(folder: Path) -> DataSpec:
    """Return lines of a label and a text of 1 to 20 words, of which a part is short."""
    colors = ("red", "green"), ("blue", "white")
    lines = [
        f"{'ab'[i % 2]}\t{' '.join(colors[i % 2][(i + at) % 2] for at in range(1 + i * 7 % 20))}"
        for i in range(60)
    ]
    path = folder / "texts.txt"
    path.write_text("\n".join(lines), encoding="utf-8")
    params = {
        "path": str(path),
        "task": "classification",
        "tokens": "words",
        "length": 16,
        "fill": "batch",
    }
    return DataSpec(
        source=Choice(type="text", params=params),
        batch_size=4,
        sampler="bucketed",
        padding_info="mask",
    )


def attention() -> Graph:
    """Return an encoder that looks at the tokens of a text alone, and the first of these."""
    draft = Draft()
    draft.put("text", "Input", field="text", shape=(-1,), dtype="int64")
    draft.put("embedding", "Embedding", num_embeddings=WORDS, embedding_dim=8)
    draft.put("mask", "Input", field="text_padding", shape=(-1,), dtype="bool")
    draft.put(
        "encoder",
        "TransformerEncoderLayer",
        after={"src": "embedding", "src_key_padding_mask": "mask"},
        nhead=2,
        dim_feedforward=8,
        dropout=0.1,
        batch_first=True,
    )
    draft.put("first", "select", dim=1, index=0)
    draft.put("head", "Linear", out_features=2)
    return draft.put("logits", "Output").model()


def made(folder: Path, **changes: object) -> RunFolder:
    spec = iris_spec(data=texts(folder), losses=(CROSS_ENTROPY,), epochs=2, **changes)
    return RunFolder.create(folder / "run", attention(), spec)


@pytest.fixture(scope="module")
def run(tmp_path_factory) -> RunFolder:
    folder = made(tmp_path_factory.mktemp("padded"))
    state = train(folder)
    assert state.problem is None
    assert state.status is RunStatus.FINISHED
    return folder


def test_that_a_resume_in_the_middle_of_an_epoch_is_exact(run, tmp_path):
    resumed = made(tmp_path, checkpoint=CheckpointSpec(every_steps=1))
    stop_amid(resumed, 4)
    assert train(resumed, resume="latest").status is RunStatus.FINISHED
    names = ("train.loss", "validation.loss")
    expected, found = curves(run), curves(resumed)
    assert all(found[name] == expected[name] for name in names)


def test_that_a_new_text_is_read_as_it_is_in_a_batch_with_longer_ones(run, tmp_path):
    form = ask(DescribeModel(run_folder=str(run.path), checkpoint="last", sample=0))
    assert [field.info.name for field in form.fields] == ["text"]
    alone = predict(run.path, checkpoint="last", texts={"text": TEXT}).values
    lines = tmp_path / "new.txt"
    lines.write_text(f"{TEXT}\n{'blue white ' * 6}\n", encoding="utf-8")
    predict_file(run.path, lines, tmp_path / "out.csv", checkpoint="last")
    written = (tmp_path / "out.csv").read_text(encoding="utf-8").splitlines()
    shares = [float(cell) for cell in written[1].split(",")[2:4]]
    assert shares == pytest.approx(list(alone), abs=1e-5)


def test_that_exported_code_reads_a_text_and_pads_batches_as_the_run_did(run, tmp_path):
    export(run.path, "python-class", tmp_path / "net.py", checkpoint="last")
    net = runpy.run_path(str(tmp_path / "net.py"))
    data = load_data(run.document.spec.data)
    values = net["read_sample"]({"text": TEXT})
    assert list(values) == ["text", "text_padding"]
    assert values["text"].shape == values["text_padding"].shape == (1, 3)
    samples = net["RunSamples"](str(tmp_path), "train")
    batches = net["RunBatches"](samples, training=False)
    batch = next(iter(batches))
    indices = data.indices["train"][: len(batch["text"])]
    expected = data.raw(indices.tolist())
    for name in ("text", "text_padding", "label"):
        assert torch.equal(batch[name], expected[name])
