"""Metrics of retrieval: how the samples of each query are ranked."""

import math
import random
from pathlib import Path
from typing import cast

import pytest
import torch
from msgspec.structs import replace

from engine.data.load.load import load_data
from engine.model.analysis import analyse
from engine.query.trained import open_trained
from engine.runs.folder import RunFolder
from engine.runs.record.store import RunStore
from engine.runs.teacher import create_run
from engine.spec.run import Choice, DataSpec, LossTerm, RunSpec, SplitSpec
from engine.spec.validate import validate
from engine.train.loop import evaluate_part
from engine.train.metrics import EpochMeter, merged_states
from engine.train.retrieval import QUERY, RankingTally
from tests.tiny_run import chain, node, train

RANKER = chain(
    node("Input", "features", field="features", shape=(2,)),
    node("Linear", "hidden", out_features=4),
    node("Tanh", "act"),
    node("Linear", "head", out_features=2),
    node("Output", "scores"),
)
METRICS = ("retrieval_map", "retrieval_mrr", "retrieval_ndcg_10", "retrieval_precision_5")


def listing(folder: Path) -> Path:
    """Write documents of 40 searches, of which those with a low price are mostly relevant; one of
    five searches has no relevant document.
    """
    made = random.Random(3)
    lines = ["search,price,age,relevant"]
    for search in range(40):
        for _ in range(made.randrange(4, 9)):
            price = made.random()
            relevant = search % 5 > 0 and price + made.random() / 2 < 0.5
            lines.append(f"q{search},{price:.4f},{made.random():.4f},{'yes' if relevant else 'no'}")
    path = folder / "listing.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def ranking(folder: Path, **split: object) -> RunSpec:
    chosen = {"kind": "group", "column": "search", "validation": 0.3, "train": 0.6, "test": 0.1}
    params = {"path": str(listing(folder)), "target": "relevant", "inputs": "price,age"}
    term = LossTerm(
        loss=Choice(type="CrossEntropyLoss"),
        inputs={"input": "model.scores", "target": "data.label"},
    )
    return RunSpec(
        data=DataSpec(
            source=Choice(type="table", params=params),
            split=SplitSpec(**chosen | split),
            batch_size=7,
        ),
        losses=(term,),
        optimizer=Choice(type="Adam", params={"lr": 0.03}),
        metrics=METRICS,
        epochs=4,
        device="cpu",
        threads=1,
    )


def ranked_by_hand(rows: list[tuple[str, float, bool]]) -> dict[str, float]:
    """Return the metrics over the queries that have a relevant sample, by their definitions."""
    queries: dict[str, list[tuple[float, bool]]] = {}
    for query, score, relevant in rows:
        queries.setdefault(query, []).append((score, relevant))
    found: dict[str, list[float]] = {name: [] for name in METRICS}
    for each in queries.values():
        order = [hit for _, hit in sorted(each, key=lambda row: -row[0])]
        ranks = [rank for rank, hit in enumerate(order, 1) if hit]
        if not ranks:
            continue
        found["retrieval_map"].append(
            sum(hits / rank for hits, rank in enumerate(ranks, 1)) / len(ranks)
        )
        found["retrieval_mrr"].append(1 / ranks[0])
        best = sum(1 / math.log2(rank + 1) for rank in range(1, min(10, len(ranks)) + 1))
        gain = sum(1 / math.log2(rank + 1) for rank in ranks if rank <= 10)
        found["retrieval_ndcg_10"].append(gain / best)
        found["retrieval_precision_5"].append(sum(rank <= 5 for rank in ranks) / 5)
    return {name: sum(values) / len(values) for name, values in found.items()}


@pytest.fixture(scope="module")
def trained(tmp_path_factory) -> RunFolder:
    folder = tmp_path_factory.mktemp("ranking")
    run = create_run(folder / "project", RANKER, ranking(folder))
    train(run)
    return run


@pytest.mark.row("S212")
def test_that_the_samples_of_each_query_are_ranked(trained):
    with open_trained(trained, "last").in_use() as training:
        found = evaluate_part(training, "validation")
        data, rows = training.data, list[tuple[str, float, bool]]()
        indices = data.indices["validation"].tolist()
        for batch in training.part_batches("validation"):
            scores = training.model(batch["features"]).softmax(dim=1)[:, 1].tolist()
            for score, label in zip(scores, batch["label"].tolist(), strict=True):
                query = data.source.text("search", indices[len(rows)])
                rows.append((query, score, label == 1))
    expected = ranked_by_hand(rows)
    assert {query for query, _, relevant in rows if relevant} < {query for query, _, _ in rows}
    assert {name: found[name] for name in METRICS} == pytest.approx(expected, abs=1e-6)


def test_that_rankings_are_recorded_for_validation_and_not_for_steps_of_training(trained):
    store = RunStore.find(trained.path)
    try:
        names = store.series_names()
    finally:
        store.close()
    assert "validation.retrieval_map" in names
    assert "train.retrieval_map" not in names


def test_that_several_processes_rank_as_one_does(trained):
    with open_trained(trained, "last").in_use() as training:
        whole, halves = training.new_meter(), [training.new_meter(), training.new_meter()]
        for batch in training.part_batches("validation"):
            outputs = training.model(batch["features"])
            whole.observe(outputs, batch)
            for half, meter in enumerate(halves):
                share = {name: values[half::2] for name, values in batch.items()}
                meter.observe(outputs[half::2], share)
        joined = EpochMeter(METRICS, training.comparison, torch.device("cpu"))
        joined.load_state_dict(merged_states([meter.state_dict() for meter in halves]))
    assert joined.compute() == pytest.approx(whole.compute())


def test_that_a_column_of_the_role_group_says_the_queries(tmp_path):
    spec = ranking(tmp_path, kind="random", column="")
    data = load_data(spec.data)
    assert [p.code for p in validate(spec, RANKER, analyse(RANKER), data.info)] == ["R600"] * 4
    params = {**spec.data.source.params, "group": "search"}
    source = replace(spec.data.source, params=params)
    spec = replace(spec, data=replace(spec.data, source=source))
    assert validate(spec, RANKER, analyse(RANKER), load_data(spec.data).info) == ()
    run = create_run(tmp_path / "project", RANKER, replace(spec, epochs=1))
    train(run)
    with open_trained(run, "last").in_use() as training:
        queries = [batch[QUERY] for batch in training.part_batches("test")]
    assert len(torch.cat(queries).unique()) > 1


def test_that_grades_of_relevance_count_by_their_size():
    tally = RankingTally(["retrieval_ndcg"])
    scores, grades = torch.tensor([0.9, 0.5, 0.1]), torch.tensor([0.0, 3.0, 1.0])
    tally.add(scores, grades, torch.zeros(3, dtype=torch.int64))
    best = 3 + 1 / math.log2(3)
    gain = 3 / math.log2(3) + 1 / math.log2(4)
    assert tally.values() == pytest.approx({"retrieval_ndcg": gain / best})


@pytest.mark.parametrize("grades", [(0.0, 0.0), (-1.0, 1.0)], ids=["none", "negative"])
def test_that_nothing_is_said_of_samples_that_cannot_be_ranked(grades):
    tally = RankingTally(["retrieval_ndcg"])
    tally.add(torch.tensor([0.2, 0.1]), torch.tensor(grades), torch.zeros(2, dtype=torch.int64))
    assert tally.values() == {}
    state = cast("dict[str, list[object]]", tally.state_dict())
    assert len(state["seen"]) == 1
