"""Teacher forcing below 1: what a plain script with scheduled sampling computes, to the bit."""

import copy
from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional

from engine.data.load.load import load_data
from engine.diagnostics import DiagnosticError
from engine.graph.model import Graph
from engine.model.module import to_module
from engine.runs.folder import RunFolder
from engine.runs.record.state import RunStatus
from engine.spec.run import Choice, DataSpec, LossTerm, RunSpec
from engine.spec.technique import AccumulationSpec, TeacherForcingSpec
from engine.spec.technique_rule import check_techniques
from engine.train.loop import train_epoch
from engine.train.ranks.world import World
from engine.train.technique.base import StepContext
from engine.train.technique.teacher_forcing import Reading, TeacherForcing
from engine.train.training import Training, build_training
from tests.engine.train.test_resume import assert_same_run, stop_at
from tests.tiny_run import CROSS_ENTROPY, chain, iris_graph, iris_spec, make_run, node, train

LENGTH, SEED = 5, 3
SGD = Choice(type="SGD", params={"lr": 0.5})
TERM = LossTerm(
    loss=Choice(type="CrossEntropyLoss"),
    inputs={"input": "model.logits", "target": "data.target"},
)


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> tuple[DataSpec, Graph]:
    """Return a text of two alphabets and a model that reads it with dropout."""
    file = tmp_path_factory.mktemp("texts") / "text.txt"
    file.write_text("abcdeabxydfedcba" * 12, encoding="utf-8")
    params = {"path": str(file), "length": LENGTH}
    data = DataSpec(source=Choice(type="text", params=params), batch_size=6)
    words = len(load_data(data).info.fields[0].words)
    graph = chain(
        node("Input", "text", field="text", shape=(LENGTH,), dtype="int64"),
        node("Embedding", "embed", num_embeddings=words, embedding_dim=8),
        node("Dropout", "drop", p=0.3),
        node("Linear", "head", out_features=words),
        node("transpose", "turn", dim0=1, dim1=2),
        node("Output", "logits"),
    )
    return data, graph


def spec_of(text: tuple[DataSpec, Graph], **changes: object) -> RunSpec:
    return iris_spec(data=text[0], losses=(TERM,), optimizer=SGD, seed=SEED, **changes)


def training_of(text: tuple[DataSpec, Graph], **changes: object) -> Training:
    torch.manual_seed(0)
    return build_training(text[1], spec_of(text, **changes), to_module(text[1]))


def plain(training: Training, model: nn.Module, ratio: float, accumulated: int) -> list[Tensor]:
    """Train two epochs as a script would that knows nothing of the program; return the texts that
    the model read.
    """
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
    read: list[Tensor] = []
    count = 0
    for epoch in range(2):
        batches = list(training.epoch_batches(epoch, 0))
        groups = [batches[at : at + accumulated] for at in range(0, len(batches), accumulated)]
        for group in groups:
            optimizer.zero_grad()
            total = sum(len(batch["text"]) for batch in group)
            for batch in group:
                text, target = batch["text"].clone(), batch["target"]
                generator = torch.Generator().manual_seed(SEED + 1_000_003 * (count + 1))
                drawn = torch.rand(LENGTH, len(text), generator=generator)
                count += 1
                model.eval()
                with torch.no_grad():
                    scores = model(text)
                model.train()
                scores[:, :2] = -torch.inf  # what fills up, and what is unknown
                for row in range(len(text)):
                    for at in range(1, LENGTH):
                        if drawn[at, row] >= ratio:
                            text[row, at] = scores[row, :, at - 1].argmax()
                read.append(text)
                loss = functional.cross_entropy(model(text), target)
                (loss if len(group) == 1 else loss * (len(text) / total)).backward()
            optimizer.step()
    return read


@pytest.mark.row("S196")
@pytest.mark.parametrize(("ratio", "accumulated"), [(0.4, 1), (0.4, 3), (0.0, 1)])
def test_that_the_weights_are_those_of_a_plain_script(
    text: tuple[DataSpec, Graph], ratio: float, accumulated: int
) -> None:
    forcing = TeacherForcingSpec(ratio=ratio)
    accumulation = AccumulationSpec(batches=accumulated)
    training = training_of(text, teacher_forcing=forcing, accumulation=accumulation)
    model = copy.deepcopy(training.model)
    torch.manual_seed(1)
    for epoch in range(2):
        list(train_epoch(training, epoch, 0, training.new_meter()))
    torch.manual_seed(1)
    read = plain(training, model, ratio, accumulated)
    own = training.model.state_dict()
    assert all(torch.equal(own[key], value) for key, value in model.state_dict().items())
    true = [batch["text"] for epoch in range(2) for batch in training.epoch_batches(epoch, 0)]
    assert any(not torch.equal(a, b) for a, b in zip(read, true, strict=True))


def test_that_the_ratio_goes_along_a_line_and_stays() -> None:
    forcing = TeacherForcingSpec(ratio=0.9, final_ratio=0.1, decay_steps=4)
    assert [forcing.at(step) for step in (0, 1, 2, 4, 9)] == pytest.approx(
        [0.9, 0.7, 0.5, 0.1, 0.1]
    )
    assert not TeacherForcingSpec(final_ratio=0.0).is_on


def test_that_a_stopped_run_ends_where_an_unbroken_one_does(
    text: tuple[DataSpec, Graph], tmp_path: Path
) -> None:
    forcing = TeacherForcingSpec(ratio=0.9, final_ratio=0.1, decay_steps=40)
    runs: list[RunFolder] = []
    for _ in range(2):
        changes = {"data": text[0], "losses": (TERM,), "optimizer": SGD, "epochs": 2}
        runs.append(make_run(tmp_path, text[1], **changes, teacher_forcing=forcing))
    unbroken, broken = runs
    assert train(unbroken).status is RunStatus.FINISHED
    stop_at(broken, 7)
    train(broken, "latest")
    assert_same_run(broken, unbroken)


class Half(World):
    """One of two ranks."""

    def __init__(self, rank: int) -> None:
        self.rank = rank

    def local_indices(self, index: Tensor) -> Tensor:
        return index.tensor_split(2)[self.rank]


def test_that_true_tokens_alone_are_read_at_a_ratio_of_one_and_own_ones_at_zero() -> None:
    batch = {"text": torch.full((3, 6), 4), "target": torch.full((3, 6), 4)}
    forcing = TeacherForcingSpec(ratio=1.0, final_ratio=0.0, decay_steps=5)
    technique = TeacherForcing(iris_spec(teacher_forcing=forcing))
    technique.begin(
        Reading(
            running="text",
            target="target",
            padding=0,
            unwritten=(0, 1),
            scores=lambda _: functional.one_hot(torch.full((3, 6), 7), 9).float().mT,
            world=World(),
        )
    )

    def read(step: int) -> Tensor:
        context = StepContext(model=nn.Identity(), step=step, sizes=(3,), batch=step, first=step)
        return technique.given(batch, context, 0)["text"]

    assert torch.equal(read(0), batch["text"])
    assert read(5).tolist() == [[4, 7, 7, 7, 7, 7]] * 3


def test_that_two_ranks_replace_what_one_does() -> None:
    torch.manual_seed(0)
    batch = {"text": torch.randint(2, 9, (7, 12)), "target": torch.randint(2, 9, (7, 12))}
    scores = torch.randn(7, 9, 12)
    step = StepContext(model=nn.Identity(), step=4, sizes=(7,), batch=4, first=31)

    def mixed(rows: Sequence[int], length: int, world: World) -> Tensor:
        technique = TeacherForcing(
            iris_spec(teacher_forcing=TeacherForcingSpec(ratio=0.5), seed=SEED)
        )
        reading = Reading(
            running="text",
            target="target",
            padding=0,
            unwritten=(0, 1),
            scores=lambda _: scores[list(rows), :, :length],
            world=world,
        )
        technique.begin(reading)
        own = {name: values[list(rows), :length] for name, values in batch.items()}
        return technique.given(own, step, 0)["text"]

    whole = mixed(range(7), 12, World())
    assert not torch.equal(whole, batch["text"])
    assert torch.equal(mixed(range(4), 12, Half(0)), whole[:4])
    assert torch.equal(mixed(range(4, 7), 9, Half(1)), whole[4:, :9]), "its longest text is shorter"


def test_that_a_model_of_no_text_is_told_before_it_trains(text: tuple[DataSpec, Graph]) -> None:
    forcing = TeacherForcingSpec(ratio=0.5)
    flowers = iris_spec(losses=(CROSS_ENTROPY,), teacher_forcing=forcing)
    info = load_data(flowers.data).info
    assert [each.code for each in check_techniques(flowers, info)] == ["R540"]
    assert not [*check_techniques(spec_of(text, teacher_forcing=forcing), load_data(text[0]).info)]
    graph = iris_graph()
    with pytest.raises(DiagnosticError) as told:
        build_training(graph, flowers, to_module(graph))
    assert told.value.problems[0].code == "R540"


def test_that_an_optimizer_that_computes_the_loss_several_times_is_refused(
    text: tuple[DataSpec, Graph],
) -> None:
    forcing = TeacherForcingSpec(ratio=0.5)
    spec = iris_spec(data=text[0], losses=(TERM,), teacher_forcing=forcing)
    assert not [*check_techniques(spec, None)]
    closed = msgspec.structs.replace(spec, optimizer=Choice(type="LBFGS"))
    assert [each.code for each in check_techniques(closed, None)] == ["R541"]
