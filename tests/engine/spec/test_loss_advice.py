"""Which losses are advised: by the target of the data, and by how many outputs a model has."""

import pytest

from engine import api
from engine.data.load.load import load_data
from engine.diagnostics import sentence
from engine.graph.model import Graph
from engine.spec.loss_advice import LossAdvice, advised_losses
from engine.spec.run import Choice, DataSpec
from tests.rows.test_every_choice import LOGS, one, twins
from tests.rows.test_losses import problems
from tests.tiny_run import iris_spec, node


def advised(data: str, graph: Graph) -> dict[str, LossAdvice]:
    """Return what is advised for data that come with PyTorch or the program, by loss."""
    spec = iris_spec(data=DataSpec(source=Choice(type=data)))
    found = advised_losses(spec, graph, api.analyse(graph), load_data(spec.data).info)
    return {advice.term.loss.type: advice for advice in found}


def ready(found: dict[str, LossAdvice]) -> list[str]:
    return [
        key
        for key, advice in found.items()
        if advice.fits and not advice.missing and advice.problem is None
    ]


@pytest.mark.row("S161")
@pytest.mark.parametrize(
    ("data", "graph", "losses"),
    [
        ("iris", one("iris", 3), ["CrossEntropyLoss", "MultiMarginLoss"]),
        ("iris", one("iris", 3, LOGS), ["CrossEntropyLoss", "NLLLoss", "MultiMarginLoss"]),
        ("moons", one("moons", 1), ["BCEWithLogitsLoss", "MultiLabelSoftMarginLoss"]),
        ("moons", one("moons", 2), ["CrossEntropyLoss", "MultiMarginLoss"]),
        (
            "diabetes",
            one("diabetes", 1),
            ["MSELoss", "L1Loss", "HuberLoss", "SmoothL1Loss", "PoissonNLLLoss"],
        ),
    ],
)
def test_that_the_losses_for_a_target_come_first_ready_to_train(
    data: str, graph: Graph, losses: list[str]
) -> None:
    found = advised(data, graph)
    assert ready(found) == losses
    assert list(found)[: len(losses)] == losses
    for key in losses:
        term = found[key].term
        spec = iris_spec(data=DataSpec(source=Choice(type=data)), losses=(term,), metrics=())
        assert not [item for item in api.check(graph, spec).problems if item.field]


@pytest.mark.row("S161")
def test_that_what_a_loss_wants_of_the_model_is_told_in_a_sentence() -> None:
    found = advised("iris", one("iris", 2))
    problem = found["CrossEntropyLoss"].problem
    assert problem is not None
    assert "3 outputs" in sentence(problem)
    assert "MSELoss" not in found
    found = advised("diabetes", one("diabetes", 1))
    assert "CrossEntropyLoss" not in found
    assert found["GaussianNLLLoss"].missing == 1


@pytest.mark.row("S161")
def test_that_rankings_and_triplets_are_bound_to_as_many_outputs_as_they_compare() -> None:
    found = advised("diabetes", one("diabetes", 1))
    assert (found["MarginRankingLoss"].missing, found["TripletMarginLoss"].missing) == (1, 2)
    assert not found["HingeEmbeddingLoss"].fits, "the target is any number, not 1 or -1"
    found = advised("diabetes", twins(3, 4))
    triplet = found["TripletMarginLoss"]
    assert triplet.fits
    assert triplet.missing == 0
    assert triplet.term.inputs == {
        "anchor": "model.a_out", "positive": "model.b_out", "negative": "model.c_out",
    }  # fmt: skip


def test_that_nothing_is_advised_for_a_model_without_output() -> None:
    assert advised("iris", Graph()) == {}


def test_that_a_cross_entropy_of_a_single_score_is_told_to_be_0() -> None:
    layer = node("Linear", "head", out_features=1)
    found = problems("CrossEntropyLoss", layer, data="diabetes", target="target")
    (problem,) = (item for item in found if item.code == "R545")
    assert problem.severity == "error"
    for language in ("en", "zh_CN"):
        assert "MSELoss" in sentence(problem, language)
