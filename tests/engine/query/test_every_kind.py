"""Each page of Inspect answers for each kind of data, with samples shown as what they are."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from engine.data.load.load import load_data
from engine.diagnostics import DiagnosticError
from engine.export.event_file import _fields
from engine.query.ask import ask
from engine.query.doctor.answer import check_up, check_up_run
from engine.query.embedding.request import MapActivations, MapSpec
from engine.query.evaluation.request import Evaluate
from engine.query.export.request import Export
from engine.query.landscape.answer import draw_landscape
from engine.query.landscape.request import DrawLandscape, LandscapeValues
from engine.query.memory.request import EstimateMemory
from engine.query.results.request import (
    DescribeModel,
    DrawSurface,
    Examine,
    ListKeptTensors,
    LookUp,
    Predict,
    PredictBoxes,
    PredictMasks,
    PredictSamples,
    PredictSequences,
    TakeKeptTensor,
)
from engine.runs.folder import RunFolder
from engine.runs.follow import read_state
from engine.runs.record.state import RunState
from engine.runs.record.tensor_capture import tensor_files
from engine.spec.data import ROW_KINDS, FieldInfo, SampleView
from engine.spec.run import RunSpec
from tests.exported_kinds import KINDS, trained_once
from tests.tiny_run import PATIENCE_S


@dataclass(frozen=True, kw_only=True)
class Case:
    """A run of a kind of data that has ended."""

    name: str
    run: RunFolder
    state: RunState

    @property
    def place(self) -> str:
        return str(self.run.path)

    @property
    def spec(self) -> RunSpec:
        return self.run.document.spec

    @property
    def code(self) -> dict[str, str]:
        return dict(self.run.document.graph.code)

    @property
    def fields(self) -> tuple[FieldInfo, ...]:
        return load_data(self.spec.data, self.code).info.fields


pytestmark = [
    pytest.mark.real,
    pytest.mark.row("S318"),
    pytest.mark.usefixtures("unconfined"),  # of the sandbox tell others
]
VARIANTS = (
    "built_in_pictures",
    "table_one_hot",
    "table_of_classes",
    "sqlite",
    "pictures_padded",
    "pictures_transformed",
    "arrays_of_pictures",
    "idx",
    "small_characters",
    "subwords",
    "language_model_of_bytes",
    "language_model_of_subwords",
    "pairs_of_subwords",
)
"""Kinds whose fields and answers are those of another one: they are read in another way, which the
tests of exports show of each.
"""


def results_have_each_sample_of_a_part(case: Case, folder: Path) -> None:
    report = ask(
        Examine(run_folder=case.place, checkpoint="last", split="test", seconds=PATIENCE_S)
    ).report
    assert report is not None
    part = load_data(case.spec.data, case.code).indices["test"].tolist()
    assert list(report.indices) == part
    assert len(report.losses) == len(part)
    told = ask(Evaluate(run_folder=case.place, checkpoint="last", split="test")).metrics
    both = {metric: told.get(f"test.{metric}") for metric in report.metrics}
    assert any(value is not None for value in both.values())
    for metric, value in both.items():
        assert value is None or report.metrics[metric] == pytest.approx(value, rel=1e-5), metric
    numbers = tuple(range(min(3, len(part))))
    if report.ious:
        assert all(each.pixels and each.prediction for each in _samples(PredictMasks, case))
    elif report.hits:
        assert all(each.text and each.truth for each in _samples(PredictSequences, case))
    elif report.box_counts:
        assert all(each.pixels and each.truth for each in _samples(PredictBoxes, case))
    else:
        assert len(report.predictions) == len(part) * report.outputs
    looked = ask(LookUp(data=case.spec.data, places=tuple(part[:3]), code=case.code)).samples
    assert [each.index for each in looked] == part[:3]
    assert len(numbers) == len(looked)
    for sample in looked:
        for field in case.fields:
            assert _is_shown(field, sample), field.name


def _samples(question: Any, case: Case) -> tuple[Any, ...]:
    found = ask(
        question(run_folder=case.place, checkpoint="last", split="test", numbers=(0, 1))
    ).samples
    assert len(found) > 0
    return found


def _is_shown(field: FieldInfo, sample: SampleView) -> bool:
    """Return whether a field of a sample can be shown as what it is."""
    if field.words and field.role == "input":
        return bool(sample.texts[field.name].strip())
    if field.kind in ("image", "sound", "video"):
        return field.name in sample.pictures or field.name in sample.values
    return field.kind == "box_masks" or field.name in sample.values


def the_columns_of_a_run_are_predicted(case: Case, folder: Path) -> None:
    step = ask(PredictSamples(run_folder=case.place, checkpoint="last", seconds=PATIENCE_S))
    assert step.key
    assert step.done == step.total == load_data(case.spec.data, case.code).source.samples


def playground_answers_for_the_example(case: Case, folder: Path) -> None:
    inputs = ask(DescribeModel(run_folder=case.place, checkpoint="last"))
    values, texts = {}, {}
    for each in inputs.fields:
        if each.info.words:
            texts[each.info.name] = each.text
        elif each.info.name not in inputs.row_fields:
            values[each.info.name] = each.example
    cells = {column.name: column.text for column in inputs.columns}
    answer = ask(
        Predict(run_folder=case.place, checkpoint="last", values=values, texts=texts, cells=cells)
    )
    assert answer.values or answer.mask or inputs.finds_boxes


def tensors_of_a_step_and_of_a_checkpoint_are_there(case: Case, folder: Path) -> None:
    assert case.state.tensors is not None
    (taken,) = [tensor_files.read(path) for path in tensor_files.files(case.run.artefacts)]
    assert taken.kind == "batch"
    assert taken.data
    listed = ask(ListKeptTensors(run_folder=case.place, checkpoint="last")).tensors
    first = next(each for each in listed if each.kind == "parameter")
    tensor = ask(
        TakeKeptTensor(run_folder=case.place, checkpoint="last", kind=first.kind, name=first.name)
    )
    assert tensor.shape == first.shape


def the_doctor_looks_at_all_rules(case: Case, folder: Path) -> None:
    graph = case.run.document.graph
    # Of the model, of the run: to learn a batch by heart takes as long as all other pages.
    for report in (
        check_up(graph, case.spec, case.run.project, limit_s=0),
        check_up_run(case.run, limit_s=0),
    ):
        assert report.rules
        assert [curve for curve in report.curves if curve.losses]
        assert report.samples_per_s > 0


def the_surface_is_drawn_or_says_what_it_needs(case: Case, folder: Path) -> None:
    question = DrawSurface(run_folder=case.place, checkpoint="last")
    target = next(field for field in case.fields if field.role == "target")
    reasons = {"mask": "V037", "boxes": "V038", "box_classes": "V038", "sequence": "V039"}
    if target.kind not in reasons:
        assert ask(question).values
        return
    with pytest.raises(DiagnosticError) as caught:
        ask(question)
    assert [problem.code for problem in caught.value.problems] == [reasons[target.kind]]


def the_landscape_is_drawn(case: Case, folder: Path) -> None:
    told: list[Any] = []
    draw_landscape(DrawLandscape(run_folder=case.place, size=3, samples=4), told.append)
    values = [value for each in told if isinstance(each, LandscapeValues) for value in each.values]
    assert len(values) == 9
    assert any(value is not None for value in values)


def samples_are_mapped_by_what_the_model_makes_of_them(case: Case, folder: Path) -> None:
    question = MapActivations(
        run_folder=case.place, checkpoint="last", spec=MapSpec(count=20), is_new=True, seconds=60
    )
    assert ask(question).is_done


def the_memory_of_a_step_is_what_was_expected(case: Case, folder: Path) -> None:
    expected = ask(EstimateMemory(graph=case.run.document.graph, spec=case.spec))
    measured = case.state.memory
    assert measured is not None
    most = (
        20 if case.name == "objects" else 1.1
    )  # proposals that hit nothing yet are counted as hits
    # On a CPU a recurrent layer keeps a copy of its inputs, which the step without numbers shares.
    assert measured.report.total <= 1.01 * expected.total
    assert expected.total <= most * measured.report.total
    assert {row.name for row in measured.report.rows} <= {row.name for row in expected.rows}


def tensorboard_has_the_samples_as_what_they_are(case: Case, folder: Path) -> None:
    file = folder / "run.tfevents"
    export = Export(
        run_folder=case.place, format="tensorboard", output=str(file), checkpoint="last"
    )
    assert ask(export).largest_difference == 0
    inputs = [field for field in case.fields if field.role == "input"]
    expected: set[str] = set()
    for field in inputs:
        if field.kind in ("image", "sound", "video"):
            expected.add("image")
            is_wave = field.kind == "sound" and len(field.shape) == 2
            expected |= {"audio"} if is_wave else set()
        elif field.kind not in ("mask", *ROW_KINDS):
            expected.add("text")
    found = shown_samples(file.read_bytes())
    assert {form for _, form, _ in found} == expected
    source = load_data(case.spec.data, case.code).source
    table = next((content for _, form, content in found if form == "text"), b"").decode()
    for field in inputs:
        if field.words:
            first = source.text(field.name, int(_training_part(case)[0]))
            assert first.split()[0] in table
    if source.row_form is not None and table:
        assert all(name in table for name in source.row_form.kinds)


def _training_part(case: Case) -> list[int]:
    return load_data(case.spec.data, case.code).indices["train"].tolist()


def shown_samples(content: bytes) -> list[tuple[str, str, bytes]]:
    """Return tag, form and content of what an event file has of samples."""
    found, place = [], 0
    forms = {4: ("image", 4), 6: ("audio", 4), 8: ("text", 8)}
    while place < len(content):
        size = int.from_bytes(content[place : place + 8], "little")
        event = dict(_fields(content[place + 12 : place + 12 + size]))
        place += 16 + size
        value = dict(_fields(dict(_fields(event[5]))[1])) if 5 in event else {}
        for number, (form, inner) in forms.items():
            held = dict(_fields(value[number])) if number in value else {}
            if inner in held:  # else a histogram, or settings
                found.append((value[1].decode(), form, held[inner]))
    return found


QUESTIONS: tuple[Callable[[Case, Path], None], ...] = (
    results_have_each_sample_of_a_part,
    the_columns_of_a_run_are_predicted,
    playground_answers_for_the_example,
    tensors_of_a_step_and_of_a_checkpoint_are_there,
    the_doctor_looks_at_all_rules,
    the_surface_is_drawn_or_says_what_it_needs,
    the_landscape_is_drawn,
    samples_are_mapped_by_what_the_model_makes_of_them,
    the_memory_of_a_step_is_what_was_expected,
    tensorboard_has_the_samples_as_what_they_are,
)


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=pytest.mark.nightly if name in VARIANTS else ()) for name in KINDS],
)
def test_that_each_page_answers(
    name: str,
    tmp_path: Path,
    tmp_path_factory: pytest.TempPathFactory,
    subtests: pytest.Subtests,
) -> None:
    run = trained_once(tmp_path_factory, name)
    case = Case(name=name, run=run, state=read_state(run))
    for question in QUESTIONS:
        with subtests.test(question.__name__):
            question(case, tmp_path)
