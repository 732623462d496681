"""Weights of samples: a loss is the mean of what each sample costs times its weight."""

import copy
from collections.abc import Callable
from itertools import islice
from pathlib import Path

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional

from engine.catalog.spec import Value
from engine.data.source.field import label_info, weight_field
from engine.data.transform.batch import build_batch_transforms
from engine.diagnostics import DiagnosticError
from engine.model.module import to_module
from engine.runs.record.state import RunStatus
from engine.spec.data import FieldInfo
from engine.spec.run import Choice, DataSpec, LossTerm, RunSpec
from engine.spec.technique import AccumulationSpec
from engine.spec.transform import BatchTransformSpec
from engine.train.loop import train_epoch
from engine.train.losses import LossTerms
from engine.train.part_evaluation import evaluate_part
from engine.train.sample_weight import WeighedLoss
from engine.train.training import Training, build_training
from tests.engine.train.test_resume import assert_same_run, stop_at
from tests.tiny_run import CROSS_ENTROPY, chain, iris_spec, make_run, node, train

CLASSES = (0.5, 2.0, 1.0)
LEARNER = chain(
    node("Input", "features", field="features", shape=(2,)),
    node("Linear", "hidden", out_features=8),
    node("Tanh", "act"),
    node("Linear", "head", out_features=3),
    node("Output", "logits"),
)


def table(folder: Path, rows: int = 60) -> Path:
    """Write a table most of whose weights are 0, in some batches all of them."""
    path = folder / "t.csv"
    lines = ["a,b,kind,importance"]
    for at in range(rows):
        weight = 0 if at % 3 else at % 5 / 2
        lines.append(f"{at % 7},{at * at % 11},{'xyz'[at * at % 3 + at % 2]},{weight}")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def data(folder: Path) -> DataSpec:
    source: dict[str, Value] = {
        "path": str(table(folder)),
        "target": "kind",
        "weight": "importance",
    }
    return DataSpec(source=Choice(type="table", params=source), batch_size=4)


def given(loss: nn.Module) -> tuple[list[Tensor], list[list[Tensor]]]:
    """Return what a loss compares, of a batch of five, and the same for each sample alone."""
    random = torch.Generator().manual_seed(2)
    scores = torch.randn(5, 3, 4, generator=random)
    made: dict[type[nn.Module], Callable[[], list[Tensor]]] = {
        nn.CrossEntropyLoss: lambda: [
            scores,
            torch.tensor([[0, 1, 2, -100]] * 4 + [[-100, -100, 1, 1]]),
        ],
        nn.NLLLoss: lambda: [scores[..., 0].log_softmax(1), torch.tensor([0, 1, 2, 2, 1])],
        nn.KLDivLoss: lambda: [scores.log_softmax(1), scores.flip(0).softmax(1)],
        nn.GaussianNLLLoss: lambda: [scores, scores.flip(0), scores.square() + 0.1],
        nn.TripletMarginLoss: lambda: [*scores.permute(2, 0, 1)[:3]],
        nn.CosineEmbeddingLoss: lambda: [scores[..., 0], scores[..., 1], torch.ones(5)],
    }
    arguments = made.get(type(loss), lambda: [scores, scores.flip(0).sigmoid()])()
    return arguments, [[each[row : row + 1] for each in arguments] for row in range(5)]


@pytest.mark.parametrize(
    ("kind", "params"),
    [
        ("CrossEntropyLoss", {"weight": torch.tensor(CLASSES)}),
        ("CrossEntropyLoss", {"label_smoothing": 0.2}),
        ("CrossEntropyLoss", {"reduction": "sum"}),
        ("NLLLoss", {"weight": torch.tensor(CLASSES), "ignore_index": 1}),
        ("KLDivLoss", {"reduction": "batchmean"}),
        ("MSELoss", {}),
        ("SmoothL1Loss", {}),
        ("BCEWithLogitsLoss", {}),
        ("GaussianNLLLoss", {}),
        ("TripletMarginLoss", {}),
        ("CosineEmbeddingLoss", {}),
    ],
)
def test_that_each_sample_counts_by_its_weight(kind: str, params: dict[str, object]) -> None:
    loss: nn.Module = getattr(nn, kind)(**params)
    arguments, alone = given(loss)
    each: nn.Module = getattr(nn, kind)(**params | {"reduction": "sum"})
    sums = torch.stack([each(*one) for one in alone])
    plain, weighed = loss(*arguments), WeighedLoss(loss, kind, "losses.0.loss")
    weights = torch.tensor([0.0, 1.0, 2.5, 0.3, 1.0])
    divisor = sums.sum() / plain  # whatever PyTorch's own mean divides by
    torch.testing.assert_close(weighed(arguments, torch.ones(5)), plain)
    torch.testing.assert_close(weighed(arguments, weights), (sums * weights).sum() / divisor)
    assert float(weighed(arguments, torch.zeros(5))) == 0.0
    assert loss.reduction == params.get("reduction", "mean")  # what is shared stays as it is


@pytest.mark.parametrize("kind", ["ModelOutput", "CTCLoss"])
def test_that_a_loss_without_a_value_for_each_sample_is_refused(kind: str) -> None:
    term = LossTerm(loss=Choice(type=kind), inputs={"input": "model.logits"})
    terms = LossTerms((CROSS_ENTROPY, term), ["logits"], torch.device("cpu"))
    with pytest.raises(DiagnosticError) as refused:
        terms.weigh_samples("sample_weight")
    assert [(each.code, each.field) for each in refused.value.problems] == [
        ("R524", "losses.1.loss")
    ]


def test_that_a_loss_that_reads_the_weights_weighs_by_itself() -> None:
    term = LossTerm(
        loss=Choice(type="MSELoss"), inputs={"input": "model.y", "target": "data.sample_weight"}
    )
    terms = LossTerms((term,), ["y"], torch.device("cpu"))
    terms.weigh_samples("sample_weight")
    weights, outputs = torch.tensor([1.0, 3.0]), torch.tensor([2.0, 2.0])
    assert float(terms(outputs, {"sample_weight": weights})[0]) == 1.0


def test_that_blended_samples_have_blended_weights_as_they_have_blended_labels() -> None:
    infos = (
        FieldInfo(name="photo", role="input", kind="image", shape=(3, 8, 8), dtype="float32"),
        label_info(("a", "b")),
        weight_field(torch.ones(2)).info,
    )
    blend = build_batch_transforms((BatchTransformSpec(type="MixUp"),), infos)
    assert blend is not None
    assert (list(blend.classes), blend.numbers) == (["label"], ("sample_weight",))


def new_training(spec: RunSpec) -> Training:
    torch.manual_seed(0)
    return build_training(LEARNER, spec, to_module(LEARNER))


def plain(spec: RunSpec) -> tuple[list[float], float, nn.Module]:
    """Train as a script would that knows nothing of the program but its batches."""
    batches = new_training(spec)
    model = copy.deepcopy(batches.model).train()
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)

    def cost(batch: dict[str, Tensor]) -> Tensor:
        each = functional.cross_entropy(model(batch["features"]), batch["label"], reduction="none")
        return (each * batch["sample_weight"]).mean()

    losses: list[float] = []
    for epoch in range(spec.epochs):
        rest = batches.epoch_batches(epoch, 0)
        while group := list(islice(rest, spec.accumulation.batches)):
            samples = sum(len(batch["label"]) for batch in group)
            optimizer.zero_grad()
            found = 0.0
            for batch in group:
                loss = cost(batch)
                (loss if len(group) == 1 else loss * (len(batch["label"]) / samples)).backward()
                found += loss.item() * len(batch["label"])
            optimizer.step()
            losses.append(found / samples)
    model.eval()
    with torch.no_grad():
        parts = [(cost(each).item(), len(each["label"])) for each in batches.part_batches("test")]
    return losses, sum(a * b for a, b in parts) / sum(b for _, b in parts), model


@pytest.mark.parametrize("count", [1, 3])
def test_that_training_and_evaluation_are_a_plain_script_to_the_bit(
    tmp_path: Path, count: int
) -> None:
    spec = iris_spec(
        data=data(tmp_path),
        epochs=2,
        accumulation=AccumulationSpec(batches=count),
    )
    training = new_training(spec)
    steps = [
        step
        for epoch in range(spec.epochs)
        for step in train_epoch(training, epoch, 0, training.new_meter())
    ]
    losses, test, model = plain(spec)
    assert [float(step.loss) for step in steps] == losses
    assert count > 1 or 0.0 in losses  # of a batch without weights; it is no NaN
    found = evaluate_part(training, "test")
    assert found is not None
    assert found["loss"] == pytest.approx(test, rel=1e-12)
    others = model.state_dict()
    assert all(torch.equal(own, others[key]) for key, own in training.model.state_dict().items())


def test_that_a_weighed_run_goes_on_as_if_it_had_not_stopped(tmp_path: Path) -> None:
    spec = data(tmp_path)
    unbroken, broken = (make_run(tmp_path, LEARNER, data=spec, epochs=2) for _ in range(2))
    assert train(unbroken).status is RunStatus.FINISHED
    stop_at(broken, 5)
    train(broken, "latest")
    assert_same_run(broken, unbroken)
