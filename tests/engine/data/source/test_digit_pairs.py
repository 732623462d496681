"""Pairs of digits: what the label says, and that no part has a scan of another."""

import torch
from torch import Tensor

from engine import api
from engine.data.load.load import load_data
from engine.data.source.bundled import load_digits
from engine.data.source.registry import load_source
from engine.spec.run import Choice, DataSpec, LossTerm, SplitSpec
from tests.tiny_run import chain, iris_spec, node

SOURCE = Choice(type="digit_pairs", params={"samples": 600})
DATA = DataSpec(source=SOURCE, split=SplitSpec(kind="group", column="group"))


def scans() -> dict[bytes, int]:
    """Return the digit of each scan."""
    source = load_digits({"kind": "image", "size": 8})
    values = source.read(range(source.samples))
    return {key(image): int(digit) for image, digit in zip(*values.values(), strict=True)}


def key(image: Tensor) -> bytes:
    return image.numpy().tobytes()


def test_that_every_second_pair_is_of_one_digit_and_the_others_of_two():
    values, digit = load_source(SOURCE).read(range(600)), scans()
    for number in range(600):
        first, second = (key(values[name][number]) for name in ("first", "second"))
        is_same = number % 2 == 1
        assert first != second, "no scan is paired with itself"
        assert (digit[first] == digit[second]) is is_same
        assert values["label"][number] == values["target"][number, 0] == is_same
        assert values["sign"][number, 0] == (1 if is_same else -1)


def test_that_no_part_has_a_scan_of_another():
    data = load_data(DATA)
    seen = [
        {key(image) for name in ("first", "second") for image in data.tensors(part)[name]}
        for part in ("train", "validation", "test")
    ]
    assert all(len(scan) > 40 for scan in seen)
    assert not seen[0] & seen[1]
    assert not seen[0] & seen[2]
    assert not seen[1] & seen[2]


def test_that_the_seed_draws_the_pairs():
    def firsts(seed: int) -> Tensor:
        params = {"samples": 600, "seed": seed}
        return load_source(Choice(type="digit_pairs", params=params)).read(range(600))["first"]

    assert torch.equal(firsts(3), firsts(3))
    assert not torch.equal(firsts(3), firsts(4))


def test_that_losses_of_embeddings_take_the_sign_and_not_the_truth():
    graph = chain(
        node("Input", "first", field="first", shape=(1, 8, 8)),
        node("Flatten", "flat"),
        node("Linear", "head", out_features=1),
        node("Output", "out"),
    )

    def codes(target: str) -> set[str]:
        inputs = {"input": "model.out", "target": f"data.{target}"}
        term = LossTerm(loss=Choice(type="HingeEmbeddingLoss"), inputs=inputs)
        spec = iris_spec(data=DATA, losses=(term,), metrics=(), mode="thread")
        return {problem.code for problem in api.check(graph, spec).problems}

    assert "R071" not in codes("sign")
    assert "R071" in codes("target")
