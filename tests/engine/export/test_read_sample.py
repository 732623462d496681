"""Exported files read raw samples of every kind as the run did: inputs, answers and losses."""

import copy
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
import torch

from engine.api import predict
from engine.data.source.source import Source
from engine.export.job import build_job
from engine.export.tokenizer_file import write_tokenizers
from engine.export.training_file import write_training_class
from engine.query.results.boxes import box_prediction
from engine.query.trained import Trained, open_trained
from engine.runs.folder import RunFolder
from engine.train.devices import run_settings
from engine.train.loop import train_epoch
from engine.train.predicted import predictions
from engine.train.training import build_training
from tests.exported_kinds import KINDS, Kind, trained_once
from tests.plain_python import PlainPython

CUT_ANEW = ("language_model_of_subwords",)
"""The text of a window may begin and end within what would be one token of the text alone."""

_TRIED = 3  # samples
_BATCHES = 12  # that are trained on: all of most kinds
CODE = """
import importlib
import sys
import warnings

import torch

sys.path.insert(0, ".")
warnings.simplefilter("error")
torch.set_num_threads(1)
for name in sys.argv[1:]:
    module = importlib.import_module(name)
    given = torch.load(f"{name}.given", weights_only=False)
    model = module.load_model()
    inputs = [module.read_sample(sample) for sample in given["samples"]]
    scale = getattr(module, "scale", lambda *values: values)
    with torch.no_grad():
        outputs = [model(*scale(*each.values())) for each in inputs]
    batches = []
    for samples, targets in given["batches"]:
        read = [module.read_sample(sample) for sample in samples]
        joined = {key: torch.cat([one[key] for one in read]) for key in read[0]}
        batches.append({**joined, **targets})
    losses, batch_result = [], model.batch_result

    def recorded(loss, outputs, batch):
        losses.append(loss.item())
        return batch_result(loss, outputs, batch)

    model.batch_result = recorded
    torch.manual_seed(1)
    model.fit(batches)
    torch.save({"inputs": inputs, "outputs": outputs, "losses": losses}, f"{name}.found")
assert not any(name.split(".")[0] in ("engine", "studio") for name in sys.modules)
"""


@dataclass(frozen=True, kw_only=True)
class Exported:
    """A kind of data with what was trained on it, some samples, and what the file found."""

    name: str
    run: RunFolder
    trained: Trained
    samples: list[int]
    found: dict[str, Any]


def _exported(folder: Path, run: RunFolder, name: str) -> tuple[RunFolder, Trained, list[int]]:
    kind, spec = KINDS[name], run.document.spec
    job, _ = build_job(run.path, "last")
    write_training_class(job, folder / f"{name}.py")
    write_tokenizers(job.tokenizers, folder / f"{name}.py")
    trained = open_trained(run, "last")
    data = trained.training.data
    indices = data.indices["test"][:_TRIED].tolist()
    order = data.indices["train"].split(spec.data.batch_size)[:_BATCHES]
    given = {
        "samples": [raw_sample(kind, trained, index) for index in indices],
        "batches": [
            (
                [raw_sample(kind, trained, index) for index in batch.tolist()],
                _targets(trained, batch.tolist()),
            )
            for batch in order
        ],
    }
    torch.save(given, folder / f"{name}.given")
    return run, trained, indices


def raw_sample(kind: Kind, trained: Trained, index: int) -> dict[str, object]:
    """Return a sample as it stands in the files of the data."""
    training = trained.training
    source = training.data.source
    raw: dict[str, object] = {**cells_of(source, index)}
    for name in training.input_fields:
        info = next(info for info in source.infos if info.name == name)
        key, path = source.column_of(name), source.file(name, index)
        if info.words:
            raw[key] = source.text(name, index)
        elif path is not None:
            raw[key] = str(path)
        elif kind.raw is not None:
            raw[key] = kind.raw(index)
        elif source.row_form is None:
            raw[key] = source.read([index])[name][0]
    return raw


def cells_of(source: Source, index: int) -> dict[str, str]:
    """Return the cells of the row of a sample by column, where it is one."""
    form = source.row_form
    return {} if form is None else {name: source.text(name, index) for name in form.kinds}


def _targets(trained: Trained, indices: list[int]) -> dict[str, torch.Tensor]:
    training = trained.training
    raw = training.data.raw(indices)
    return {name: raw[name] for name in raw if name not in training.input_fields}


pytestmark = [
    pytest.mark.real,
    pytest.mark.row("P19", "S099", "S229"),
    pytest.mark.usefixtures("unconfined"),
]
_CHUNKS = 3


def an_exported_file_reads_a_raw_sample_as_evaluation_does(case: Exported) -> None:
    training = case.trained.training
    for index, inputs, outputs in zip(
        case.samples, case.found["inputs"], case.found["outputs"], strict=True
    ):
        raw = training.data.raw([index])
        assert list(inputs) == list(training.input_fields)
        for field, values in inputs.items():
            assert values.dtype == raw[field].dtype, field
            assert torch.equal(values, raw[field]), field
        with case.trained.in_use():
            batch = [training.normalized(field, raw[field]) for field in training.input_fields]
            expected = training.model(*batch)
        for one, other in zip(_tuple(outputs), _tuple(expected), strict=True):
            assert torch.equal(one, other)


def the_exported_class_trains_on_raw_samples_with_the_losses_of_the_run(case: Exported) -> None:
    if case.name in CUT_ANEW:
        return
    job, _ = build_job(case.run.path, "last")
    with run_settings(job.spec):
        training = build_training(job.graph, job.spec, copy.deepcopy(job.module).train())
        torch.manual_seed(1)
        steps = train_epoch(training, 0, 0, training.new_meter())
        losses = [step.loss for step in islice(steps, _BATCHES)]
    assert case.found["losses"] == losses


def a_raw_sample_typed_in_gives_the_answer_of_evaluation(case: Exported) -> None:
    training = case.trained.training
    source = training.data.source
    for index, outputs in zip(case.samples, case.found["outputs"], strict=True):
        values, texts, files = {}, {}, {}
        for field in training.input_fields:
            path = source.file(field, index)
            if source.text(field, index) and training.data.info.field(field).words:
                texts[field] = source.text(field, index)
            elif path is not None:
                files[field] = path
            elif source.row_form is None:
                values[field] = training.data.raw([index])[field].flatten().tolist()
        cells = cells_of(source, index)
        answer = predict(case.run.path, values, "last", texts=texts, cells=cells, files=files)
        if training.comparison.boxes is not None:
            size = training.data.raw([index])["image"].shape[-2:]
            assert answer.boxes == box_prediction(case.trained, outputs, tuple(size)).boxes
        elif training.comparison.is_mask:
            expected = outputs[0].argmax(dim=0).to(torch.int16)
            assert answer.mask == expected.numpy().tobytes()
        else:
            with case.trained.in_use():
                expected = predictions(training, outputs)
            assert answer.values == tuple(expected.flatten().tolist())


def _tuple(outputs: object) -> tuple[Any, ...]:
    return outputs if isinstance(outputs, tuple) else (outputs,)


@pytest.mark.timeout(900)
@pytest.mark.parametrize("chunk", range(_CHUNKS))
def test_that_exported_files_take_raw_samples(
    chunk: int,
    tmp_path: Path,
    tmp_path_factory: pytest.TempPathFactory,
    subtests: pytest.Subtests,
    plain_python: PlainPython,
) -> None:
    """Kinds share a process that reads what was exported: it takes as long to start as all read."""
    names = list(KINDS)[chunk::_CHUNKS]
    runs = {name: trained_once(tmp_path_factory, name) for name in names}
    made = {name: _exported(tmp_path, run, name) for name, run in runs.items()}
    plain_python.output(CODE, *made, folder=tmp_path)
    for name, (run, trained, samples) in made.items():
        found = torch.load(tmp_path / f"{name}.found")
        case = Exported(name=name, run=run, trained=trained, samples=samples, found=found)
        with subtests.test("inputs and outputs", kind=name):
            an_exported_file_reads_a_raw_sample_as_evaluation_does(case)
        with subtests.test("losses", kind=name):
            the_exported_class_trains_on_raw_samples_with_the_losses_of_the_run(case)
        with subtests.test("answers", kind=name):
            a_raw_sample_typed_in_gives_the_answer_of_evaluation(case)
