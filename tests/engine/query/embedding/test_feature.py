"""Features of samples of all kinds."""

import pytest
import torch

from engine.query.embedding.feature import equalize, input_features, output_features
from engine.query.embedding.repulsion import exact_push, interpolated_push
from engine.query.embedding.tsne import conditional_chances
from engine.spec.data import FieldInfo
from engine.spec.sample_map import MOST_FEATURES


def field(kind, shape, dtype="float32", **more):
    return FieldInfo(name="x", role="input", kind=kind, shape=shape, dtype=dtype, **more)


def features(info, values):
    (block,) = input_features((info,), {"x": values})
    return block


def test_that_a_text_is_how_often_each_of_its_tokens_comes_up():
    words = ("<pad>", "<unk>", "cat", "dog")
    info = field("sequence", (4,), "int64", words=words)
    rows = features(info, torch.tensor([[2, 3, 2, 2], [3, 0, 0, 0]])).values
    assert rows.tolist() == [[0, 0, 0.75, 0.25], [0, 0, 0, 1]]


def test_that_categories_are_columns_of_their_own():
    info = field(
        "categories", (2,), "int64", columns=("a", "b"), vocabularies=(("u", "x"), ("u", "y", "z"))
    )
    rows = features(info, torch.tensor([[1, 0], [0, 2]])).values
    assert rows.tolist() == [[0, 1, 1, 0, 0], [1, 0, 0, 0, 1]]


@pytest.mark.parametrize("size", [3, 40, 700])
def test_that_pictures_of_any_size_are_few_numbers(size):
    block = features(field("image", (3, size, size)), torch.rand(5, 3, size, size))
    assert block.width == 3 * size * size
    assert block.values.shape[1] <= MOST_FEATURES


def test_that_hashing_leaves_distances_about_as_they_are():
    generator = torch.Generator().manual_seed(1)
    values = torch.randn(40, 5000, generator=generator) * torch.linspace(0.1, 2, 40)[:, None]
    hashed = output_features(values).values
    assert hashed.shape == (40, MOST_FEATURES)
    ratio = torch.pdist(hashed) / torch.pdist(values)
    assert (ratio - 1).abs().max() < 0.25


def test_that_a_large_vocabulary_is_hashed_as_its_counts_would_be():
    info = field("sequence", (3,), "int64", highest=4999)
    rows = torch.tensor([[1, 4999, 1], [7, 8, 9]])
    counts = torch.zeros(2, 5000).scatter_add_(1, rows, torch.ones(2, 3))
    assert features(info, rows).values.allclose(output_features(counts).values / 3)


def test_that_fields_get_as_much_variance_as_they_have_columns():
    infos = (
        field("vector", (3,)),
        FieldInfo(name="y", role="input", kind="image", shape=(1, 8, 8), dtype="float32"),
    )
    values = {"x": torch.randn(50, 3) * 1000, "y": torch.rand(50, 1, 8, 8)}
    blocks = input_features(infos, values)
    matrix = torch.cat([block.values for block in blocks], dim=1)
    equalize(matrix, blocks)
    variances = [matrix[:, :3].square().sum(1).mean(), matrix[:, 3:].square().sum(1).mean()]
    assert [float(each) for each in variances] == pytest.approx([3, 3], rel=1e-4)


def test_that_what_is_not_finite_lies_in_the_middle_of_its_column():
    info = field("vector", (2,))
    blocks = input_features((info,), {"x": torch.zeros(4, 2)})
    matrix = torch.tensor([[1.0, 5], [3.0, torch.nan], [torch.inf, 5], [2.0, 5]])
    equalize(matrix, blocks)
    assert matrix.isfinite().all()
    assert matrix[1, 1] == matrix[2, 0] == 0


def test_that_the_bandwidth_of_tsne_gives_the_perplexity():
    distances = torch.rand(20, 60).sort(dim=1).values * torch.logspace(-3, 4, 20)[:, None]
    chances = conditional_chances(distances, 12.0)
    assert chances.sum(1).tolist() == pytest.approx([1] * 20, abs=1e-5)
    entropy = torch.special.entr(chances.double()).sum(1)
    assert entropy.exp().tolist() == pytest.approx([12] * 20, rel=1e-3)


@pytest.mark.parametrize("scale", [1e-4, 2.0, 20.0])
def test_that_interpolated_repulsion_is_about_the_exact_one(scale):
    generator = torch.Generator().manual_seed(0)
    xy = torch.randn(1500, 2, generator=generator) * scale
    (exact, total), (push, sum_of_q) = exact_push(xy), interpolated_push(xy)
    assert sum_of_q == pytest.approx(total, rel=0.01)
    assert (push - exact).norm() < 0.05 * exact.norm()


def test_that_repulsion_is_the_sum_over_all_pairs():
    xy = torch.tensor([[0.0, 0], [1, 0], [3, 4]])
    push, total = exact_push(xy)
    wanted, q_sum = torch.zeros(3, 2), 0.0
    for at, one in enumerate(xy):
        for other in xy[torch.arange(3) != at]:
            q = 1 / (1 + (one - other).square().sum())
            wanted[at] += q**2 * (one - other)
            q_sum += float(q)
    assert push.allclose(wanted, atol=1e-5)
    assert total == pytest.approx(q_sum)
