"""Distillation computes what a plain script does, to the last bit, also after a resume."""

import copy
import shutil
from pathlib import Path

import msgspec
import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional

from engine.data.load.fit import DataFit
from engine.diagnostics import DiagnosticError
from engine.graph import codec as graph_codec
from engine.graph.model import Edge
from engine.model.module import to_module
from engine.runs.folder import RunFolder
from engine.runs.record.state import RunStatus
from engine.runs.record.store import RunStore
from engine.runs.teacher import NAME
from engine.spec.distillation import DISTANCE
from engine.spec.output import MODEL_OUTPUT
from engine.spec.run import (
    Choice,
    ComputeSpec,
    DataSpec,
    LossTerm,
    ParameterGroup,
    PhaseRule,
    PhaseSpec,
)
from engine.spec.technique import DistillationSpec, PenaltySpec, UnfreezingSpec
from engine.train.checkpoint.lookup import open_checkpoint
from engine.train.loop import train_epoch
from engine.train.ranks.world import ALONE
from engine.train.teaching import build_run_training
from engine.train.technique.distillation import distance
from tests.engine.train.test_resume import assert_same_run, stop_at
from tests.tiny_run import CROSS_ENTROPY, chain, curves, iris_graph, make_run, node, train

SGD = Choice(type="SGD", params={"lr": 0.1, "momentum": 0.9})
LARGE = chain(
    node("Input", "features", field="features", shape=(4,)),
    node("Linear", "wide", out_features=32),
    node("GELU", "act"),
    node("Dropout", "drop", p=0.5),  # of a teacher it is off
    node("Linear", "last", out_features=3),
    node("Output", "logits"),
)
LESSON = DistillationSpec(teacher="run-0001", temperature=3.0, weight=0.7)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Return a project whose first run is the teacher."""
    state = train(make_run(tmp_path, LARGE, epochs=2))
    assert state.status is RunStatus.FINISHED, state.problem
    return tmp_path


def plain(
    run: RunFolder, teacher_run: RunFolder, start: nn.Module
) -> tuple[list[Tensor], nn.Module]:
    """Train as a script would that knows nothing of distillation in the program."""
    teacher = to_module(LARGE)
    teacher.load_state_dict(open_checkpoint(teacher_run, "best").model)
    teacher.eval()
    training, _ = build_run_training(run, copy.deepcopy(start), ALONE, DataFit())
    model = copy.deepcopy(training.model).train()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    distances: list[Tensor] = []
    torch.manual_seed(1)
    for epoch in range(3):
        for batch in training.epoch_batches(epoch, 0):
            logits = model(batch["features"])
            hard = functional.cross_entropy(logits, batch["label"])
            with torch.no_grad():
                soft = teacher(batch["features"])
            apart = functional.kl_div(
                functional.log_softmax(logits / 3.0, dim=1),
                functional.log_softmax(soft / 3.0, dim=1),
                reduction="none",
                log_target=True,
            )
            apart = apart.sum(1).mean() * 9.0
            optimizer.zero_grad()
            ((1 - 0.7) * hard + 0.7 * apart).backward()
            optimizer.step()
            distances.append(apart.detach())
    return distances, model


def test_that_the_weights_and_the_distance_are_those_of_a_plain_script(project: Path) -> None:
    run = make_run(project, optimizer=SGD, distillation=LESSON)
    torch.manual_seed(0)
    start = to_module(run.document.graph)
    training, warning = build_run_training(run, copy.deepcopy(start), ALONE, DataFit())
    assert warning is None
    assert training.part_names == [DISTANCE]
    torch.manual_seed(1)
    steps = [
        step for epoch in range(3) for step in train_epoch(training, epoch, 0, training.new_meter())
    ]
    distances, model = plain(run, RunFolder.open(project / "runs" / "run-0001"), start)
    assert [step.parts for step in steps] == [[each] for each in distances]
    others = model.state_dict()
    assert all(torch.equal(own, others[key]) for key, own in training.model.state_dict().items())


def plain_phases(
    run: RunFolder, teacher_run: RunFolder, start: nn.Module
) -> tuple[list[Tensor], nn.Module]:
    """Train two heads in turns as a script would, of which one has a teacher."""
    teacher = to_module(LARGE)
    teacher.load_state_dict(open_checkpoint(teacher_run, "best").model)
    teacher.eval()
    training, _ = build_run_training(run, copy.deepcopy(start), ALONE, DataFit())
    model = copy.deepcopy(training.model).train()
    body = [*model.hidden.parameters(), *model.head.parameters()]
    sgd = torch.optim.SGD(body, lr=0.1, momentum=0.9)
    adam = torch.optim.Adam(model.back.parameters(), lr=0.02)
    distances: list[Tensor] = []
    torch.manual_seed(1)
    batches = [each for epoch in range(3) for each in training.epoch_batches(epoch, 0)]
    for step, batch in enumerate(batches):
        is_taught = step % 3 < 2
        logits, cost = model(batch["features"])
        if is_taught:
            hard = functional.cross_entropy(logits, batch["label"])
            with torch.no_grad():
                soft = teacher(batch["features"])
            apart = distance(logits, soft, "classes", 3.0)
            loss = (1 - 0.7) * hard + 0.7 * apart
            distances.append(apart.detach())
        else:
            loss = cost.mean()
        sgd.zero_grad()
        adam.zero_grad()
        loss.backward()
        (sgd if is_taught else adam).step()
    return distances, model


def test_that_a_teacher_has_its_share_in_the_phases_that_read_its_outputs(project: Path) -> None:
    graph = iris_graph()
    more = (
        node("Linear", "back", out_features=1),
        node("softplus", "above"),
        node("Output", "cost"),
    )
    edges = (("act", "back"), ("back", "above"), ("above", "cost"))
    graph = msgspec.structs.replace(
        graph,
        nodes={**graph.nodes, **{each.id: each for each in more}},
        edges=(
            *graph.edges,
            *(
                Edge(source=a, source_port="output", target=b, target_port="input")
                for a, b in edges
            ),
        ),
    )
    own = LossTerm(loss=Choice(type=MODEL_OUTPUT), inputs={"input": "model.cost"})
    adam = Choice(type="Adam", params={"lr": 0.02})
    phases = {
        "phase": PhaseRule(match="hidden, head", losses="1", steps=2),
        "phases": (PhaseSpec(match="back", losses="2", steps=1, optimizer=adam),),
    }
    run = make_run(
        project, graph, optimizer=SGD, losses=(CROSS_ENTROPY, own), distillation=LESSON, **phases
    )
    torch.manual_seed(0)
    start = to_module(run.document.graph)
    training, _ = build_run_training(run, copy.deepcopy(start), ALONE, DataFit())
    torch.manual_seed(1)
    steps = [
        step for epoch in range(3) for step in train_epoch(training, epoch, 0, training.new_meter())
    ]
    assert training.part_names == ["loss.CrossEntropyLoss", "loss.cost", DISTANCE]
    distances, model = plain_phases(run, RunFolder.open(project / "runs" / "run-0001"), start)
    found = [step.parts[step.terms.index(2)] for step in steps if 2 in step.terms]
    assert found == distances
    others = model.state_dict()
    assert all(torch.equal(own, others[key]) for key, own in training.model.state_dict().items())


BY_PARTS = {
    "unfreezing": UnfreezingSpec(schedule="hidden=2"),
    "groups": (ParameterGroup(match="head", params={"lr": 0.2}),),
}


@pytest.mark.parametrize("more", [{}, BY_PARTS], ids=["plain", "unfreezing"])
def test_that_a_stopped_run_ends_where_an_unbroken_one_does_without_its_teacher(
    project: Path, more: dict[str, object]
) -> None:
    changes = {"optimizer": SGD, "distillation": LESSON} | more
    unbroken, broken = (make_run(project, **changes) for _ in range(2))
    shutil.rmtree(project / "runs" / "run-0001")  # each has a copy
    assert train(unbroken).status is RunStatus.FINISHED
    stop_at(broken, 5)
    train(broken, "latest")
    assert_same_run(broken, unbroken)
    found = curves(unbroken)
    assert found[f"train.{DISTANCE}"][0] == found["train.loss"][0] == list(range(1, 13))


def test_that_a_run_draws_the_same_numbers_with_a_teacher_as_without(project: Path) -> None:
    """One whose share is 0 only shows how far it is from the teacher."""
    silent = msgspec.structs.replace(LESSON, weight=0.0)
    with_teacher, alone = make_run(project, distillation=silent), make_run(project)
    for run in (with_teacher, alone):
        assert train(run).status is RunStatus.FINISHED
    assert curves(with_teacher)["train.loss"] == curves(alone)["train.loss"]


def test_that_a_student_comes_closer_to_its_teacher_the_more_it_counts(project: Path) -> None:
    last: list[float] = []
    for weight in (0.0, 1.0):
        lesson = msgspec.structs.replace(LESSON, weight=weight)
        run = make_run(project, iris_graph(), distillation=lesson, epochs=30)
        state = train(run)
        assert state.status is RunStatus.FINISHED, state.problem
        with RunStore.open(run.path) as store:
            last.append(float(store.scalars(f"train.{DISTANCE}").values[-5:].mean()))
    assert last[1] < last[0] / 2


@pytest.mark.parametrize("precision", ["float64", "bfloat16"])
def test_that_a_teacher_computes_in_the_precision_of_the_run(project: Path, precision: str) -> None:
    compute = ComputeSpec(precision=precision)
    run = make_run(project, distillation=LESSON, compute=compute, penalty=PenaltySpec(l2=0.01))
    assert train(run).status is RunStatus.FINISHED


def problem(caught: pytest.ExceptionInfo[DiagnosticError]) -> tuple[str, str]:
    (found,) = caught.value.problems
    return found.code, found.field or ""


@pytest.mark.parametrize(
    "teacher", ["run-0007", "run-0001:step-9", "teachers/gone.ckpt", "nobody:last"]
)
def test_that_a_run_is_not_made_without_its_teacher(project: Path, teacher: str) -> None:
    with pytest.raises(DiagnosticError) as caught:
        make_run(project, distillation=DistillationSpec(teacher=teacher))
    assert problem(caught) == ("R528", "distillation.teacher")
    assert [path.name for path in (project / "runs").iterdir()] == ["run-0001"]


def test_that_a_run_says_when_its_copy_is_gone(project: Path) -> None:
    run = make_run(project, distillation=LESSON)
    (run.path / NAME).unlink()
    state = train(run)
    assert state.problem is not None
    assert (state.problem.code, state.problem.params["teacher"]) == (
        "R528",
        f"runs/run-0002/{NAME}",
    )


def test_that_a_checkpoint_of_another_project_teaches_once_it_lies_in_this_one(
    project: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    best = RunFolder.open(project / "runs" / "run-0001")
    file = other / "teachers" / "large.ckpt"
    file.parent.mkdir(parents=True)
    shutil.copy(max(best.checkpoints.glob("*.ckpt")), file)
    lesson = msgspec.structs.replace(LESSON, teacher="teachers/large.ckpt")
    state = train(make_run(other, distillation=lesson))
    assert state.status is RunStatus.FINISHED, state.problem


UNFIT = {
    "R530": (
        chain(
            node("Input", "features", field="features", shape=(4,)),
            node("Linear", "head", out_features=5),
            node("Output", "logits"),
        ),
        {},
    ),
    "R529": (
        chain(
            node("Input", "features", field="features", shape=(4,)),
            node("Linear", "head", out_features=3),
            node("Output", "classes"),
        ),
        {
            "losses": (
                LossTerm(
                    loss=Choice(type="CrossEntropyLoss"),
                    inputs={"input": "model.classes", "target": "data.label"},
                ),
            )
        },
    ),
    "R531": (
        chain(
            node("Input", "image", field="image", shape=(1, 8, 8)),
            node("Flatten", "flat"),
            node("Linear", "head", out_features=10),
            node("Output", "logits"),
        ),
        {"data": DataSpec(source=Choice(type="digits"))},
    ),
}


@pytest.mark.parametrize("code", UNFIT)
def test_that_a_run_says_why_its_teacher_does_not_fit(tmp_path: Path, code: str) -> None:
    graph, changes = UNFIT[code]
    taught = train(make_run(tmp_path, graph, **{"epochs": 1, **changes}))
    assert taught.checkpoints, taught.problem
    state = train(make_run(tmp_path, distillation=LESSON))
    assert state.status is RunStatus.FAILED
    assert state.problem is not None
    assert (state.problem.code, state.problem.field) == (code, "distillation.teacher")


def test_that_a_live_change_of_the_share_counts_from_the_next_step(project: Path) -> None:
    run = make_run(project, optimizer=SGD, distillation=LESSON)
    training, _ = build_run_training(run, to_module(run.document.graph), ALONE, DataFit())
    training.live.change("distillation.weight", 0.0)
    training.live.change("distillation.temperature", 1.0)
    batch = next(training.epoch_batches(0, 0))
    outputs = training.model.eval()(batch["features"])
    loss, _ = training.loss(outputs, batch)
    mixed = training.techniques["distillation"].mixed(loss, outputs, batch)
    assert torch.equal(mixed.loss, loss)


def test_that_a_score_that_is_on_or_off_is_compared_by_its_sigmoid() -> None:
    """Against the cross entropy, which is that much larger as the teacher is unsure."""
    own, answer = torch.randn(5, 2), torch.randn(5, 2)
    chance = (answer / 2).sigmoid()
    crossed = functional.binary_cross_entropy_with_logits(own / 2, chance)
    unsure = functional.binary_cross_entropy(chance, chance)
    torch.testing.assert_close(distance(own, answer, "binary", 2.0), 4 * (crossed - unsure))
    assert torch.equal(distance(own, answer, "values", 2.0), functional.mse_loss(own, answer))


def sorting_run(project: Path, small: str, large: str, teacher: str = "") -> RunFolder:
    """Return a run that tells small from large numbers in a table, by the names of its classes,
    which are in the order of the alphabet.
    """
    table = project / f"{small}.csv"
    rows = [f"{n % 10},{n % 7},{small if n % 10 < 5 else large}" for n in range(80)]
    table.write_text("\n".join(["a,b,kind", *rows]) + "\n", encoding="utf-8")
    graph = chain(
        node("Input", "features", field="features", shape=(2,)),
        node("Linear", "head", out_features=2),
        node("Output", "logits"),
    )
    source = Choice(type="table", params={"path": str(table), "target": "kind"})
    lesson = DistillationSpec(teacher=teacher)
    return make_run(project, graph, data=DataSpec(source=source), epochs=1, distillation=lesson)


@pytest.mark.parametrize(
    ("small", "large", "told"), [("low", "high", []), ("few", "many", ["R532"])]
)
def test_that_classes_in_another_order_are_refused(
    tmp_path: Path, small: str, large: str, told: list[str]
) -> None:
    train(sorting_run(tmp_path, "low", "high"))
    state = train(sorting_run(tmp_path, small, large, teacher="run-0001"))
    assert [one.code for one in [state.problem] if one is not None] == told
    if state.problem is not None:
        assert (state.problem.params["theirs"], state.problem.params["own"]) == ("high", "few")


def test_that_data_prepared_in_another_way_are_told(tmp_path: Path) -> None:
    data = DataSpec(source=Choice(type="iris"), normalization="minmax")
    train(make_run(tmp_path, LARGE, epochs=1, data=data))
    state = train(make_run(tmp_path, distillation=LESSON))
    assert state.status is RunStatus.FINISHED, state.problem
    assert [(one.code, one.params["parts"]) for one in state.warnings] == [
        ("R534", "data.normalization")
    ]


def test_that_a_teacher_with_strange_custom_code_does_not_run(tmp_path: Path) -> None:
    """Its file says whatever a stranger wrote; the project has none of that."""
    mark = tmp_path / "ran"
    code = {"layers.py": f"import pathlib\npathlib.Path({str(mark)!r}).touch()\n"}
    run = make_run(tmp_path, epochs=1)
    train(run)
    file = max(run.checkpoints.glob("*.ckpt"))
    content = torch.load(file, weights_only=True)
    graph = graph_codec.from_document(msgspec.json.decode(content["graph"]))
    strange = graph_codec.to_document(
        msgspec.structs.replace(
            graph,
            code=code,
            nodes={**graph.nodes, "own": node("code.layers.Own", "own")},
        )
    )
    content["graph"] = msgspec.json.encode(strange).decode()
    (tmp_path / "teachers").mkdir()
    torch.save(content, tmp_path / "teachers" / "strange.ckpt")
    lesson = DistillationSpec(teacher="teachers/strange.ckpt")
    state = train(make_run(tmp_path, distillation=lesson))
    assert state.problem is not None
    assert state.problem.code == "R533"
    assert not mark.exists()
