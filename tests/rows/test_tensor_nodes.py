"""Rows of the capability table about tensors: shapes, products, parameters, buffers, constants."""

from pathlib import Path

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional

from engine.api import export
from engine.catalog.spec import Value
from engine.diagnostics import sentence
from engine.graph.model import Graph
from engine.model.analysis import analyse
from engine.model.module import to_module
from engine.model.source import to_source
from engine.project import Project
from engine.runtime import start_run
from engine.train.checkpoint.lookup import open_checkpoint
from tests.engine.graph.builder import Spec, add, chain, model, wire
from tests.tiny_run import PATIENCE_S, iris_spec, make_run, train


def fixed(shape: tuple[int, ...], *specs: Spec) -> Graph:
    """Return a model without a batch: numbers 0, 1, 2, … in a shape, and what is done to them."""
    count: dict[str, Value] = {"shape": shape, "fill": "arange", "dtype": "float32"}
    return chain(("Buffer", count, "t"), *specs, ("Output", {}, "output"))


def given(shape: tuple[int, ...]) -> Tensor:
    return torch.arange(torch.Size(shape).numel(), dtype=torch.float32).view(shape)


def several(key: str, shapes: list[tuple[int, ...]], **params: Value) -> Graph:
    """Return a model without a batch: an operator on several tensors of shapes."""
    graph, node = add(Graph(), key, "made", **params)
    names = {"cat": "tensors", "stack": "tensors", "einsum": "operands"}
    for index, shape in enumerate(shapes):
        values: dict[str, Value] = {"shape": shape, "fill": "normal", "seed": index}
        graph, source = add(graph, "Constant", f"t{index}", **values)
        second = "mat2" if key in ("bmm", "mm") else "other"
        port = f"{names[key]}.{index}" if key in names else ("input", second)[index]
        graph = wire(graph, source.id, f"{node.id}.{port}")
    graph, _ = add(graph, "Output", "output")
    return wire(graph, node.id, "output")


def result(graph: Graph) -> Tensor:
    """Return what a model without inputs gives; the analysis says the same."""
    analysis = analyse(graph)
    wrong = [sentence(p) for p in analysis.problems if p.code != "G025"]
    assert not wrong, wrong
    value = to_module(graph)()
    output = analysis.nodes["output"].outputs["input"]
    assert tuple(value.shape) == output.shape
    return value


TABLE: dict[str, Value] = {"shape": (2, 3), "fill": "values", "values": (3, 7, 2, 2, 8, 3)}


def picked(key: str, places: tuple[int, ...], **params: Value) -> Graph:
    """Return a model that takes elements of the table at places."""
    listed: dict[str, Value] = {"shape": (len(places),), "fill": "values", "values": places}
    graph, table = add(Graph(), "Buffer", "table", **TABLE)
    graph, index = add(graph, "Constant", "places", **listed, dtype="int64")
    graph, node = add(graph, key, "picked", **params)
    graph, _ = add(graph, "Output", "output")
    graph = wire(wire(graph, table.id, node.id), index.id, f"{node.id}.index")
    return wire(graph, node.id, "output")


@pytest.mark.row("S013")
def test_that_elements_are_taken_by_number_and_by_place_as_pytorch_does():
    graph = picked("take", (0, 1, 5))
    assert result(graph).tolist() == [3.0, 7.0, 3.0]
    assert "torch.take(self.table, index=" in to_source(graph)
    columns = result(picked("index_select", (0, 2), dim=1))
    assert columns.tolist() == [[3.0, 2.0], [2.0, 3.0]]
    row = chain(
        ("Buffer", TABLE, "t"), ("select", {"dim": 0, "index": 1}), ("Output", {}, "output")
    )
    assert result(row).tolist() == [2.0, 8.0, 3.0]


@pytest.mark.row("S013")
def test_that_a_mask_takes_elements_whose_number_is_told_to_be_unknown():
    graph, table = add(Graph(), "Buffer", "table", **TABLE)
    graph, large = add(graph, "gt", "large", other=2.0)
    graph, node = add(graph, "masked_select", "picked")
    graph, mean = add(graph, "mean", "mean")
    graph, _ = add(graph, "Output", "output")
    graph = wire(wire(graph, table.id, large.id), table.id, node.id)
    joined = wire(wire(graph, node.id, mean.id), mean.id, "output")
    masked = wire(joined, large.id, f"{node.id}.mask")
    (told,) = (p for p in analyse(masked).problems if p.code != "G025")
    assert (told.code, told.node, told.severity) == ("S046", node.id, "hint")
    assert float(to_module(masked)()) == (3 + 7 + 8 + 3) / 4
    assert "S008" in codes(wire(joined, table.id, f"{node.id}.mask"))


@pytest.mark.row("S012")
@pytest.mark.parametrize(
    ("params", "written", "index"),
    [
        ({"dim": 0, "start": 1}, "[1:]", (slice(1, None),)),
        ({"dim": 1, "stop": -1}, "[:, :-1]", (slice(None), slice(None, -1))),
        ({"dim": 3, "step": 2}, "[:, :, :, ::2]", (..., slice(None, None, 2))),
        ({"dim": -2, "start": 1, "stop": 9, "step": 4}, "[..., 1:9:4, :]",
         (slice(None), slice(None), slice(1, 9, 4))),
        ({"dim": -1}, "[..., :]", ()),
    ],
)  # fmt: skip
def test_that_a_slice_is_written_and_read_as_python_writes_it(params, written, index):
    graph = fixed((4, 3, 28, 28), ("slice", params, "part"))
    assert torch.equal(result(graph), given((4, 3, 28, 28))[index])
    assert f"self.t{written}" in to_source(graph)


@pytest.mark.row("S012")
def test_that_two_slices_halve_an_image():
    parts = [("slice", {"dim": dim, "step": 2}, f"part{dim}") for dim in (2, 3)]
    halved = result(fixed((4, 3, 28, 28), *parts))
    assert torch.equal(halved, given((4, 3, 28, 28))[:, :, ::2, ::2])
    assert halved.shape == (4, 3, 14, 14)


def codes(graph: Graph) -> list[str]:
    return [problem.code for problem in analyse(graph).problems if problem.code != "G025"]


def drawn(seed: int, *shape: int) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


@pytest.mark.row("S014")
def test_that_view_needs_memory_in_order_and_reshape_does_not() -> None:
    transposed: Spec = ("transpose", {"dim0": 0, "dim1": 1})
    flat: dict[str, Value] = {"shape": (-1,)}
    assert codes(fixed((3, 4), transposed, ("view", flat))) == ["S040"]
    fitting: list[tuple[Spec, ...]] = [(("reshape", flat),), (("contiguous", {}), ("view", flat))]
    for specs in fitting:
        found = result(fixed((3, 4), transposed, *specs))
        assert torch.equal(found, given((3, 4)).t().reshape(-1))


@pytest.mark.row("S015")
def test_that_flatten_merges_the_axes_before_a_linear_layer() -> None:
    graph = model((16, 5, 5), ("flatten", {"start_dim": 1}), ("Linear", {"out_features": 120}))
    assert "torch.flatten(x, 1)" in to_source(graph)
    assert analyse(graph).nodes["linear"].resolved == {"in_features": 400}


@pytest.mark.row("S016")
def test_that_permute_puts_axes_into_another_order() -> None:
    found = result(fixed((2, 3, 5), ("permute", {"dims": (2, 0, 1)})))
    assert found.shape == (5, 2, 3)
    assert torch.equal(found, given((2, 3, 5)).permute(2, 0, 1))
    assert not torch.equal(found, given((2, 3, 5)).view(5, 2, 3))


@pytest.mark.row("S017")
def test_that_the_analysis_knows_what_is_contiguous() -> None:
    swap: Spec = ("transpose", {"dim0": 0, "dim1": 1})
    nodes = analyse(fixed((10, 10), swap, ("contiguous", {}))).nodes
    flags = [nodes[name].outputs["output"].is_contiguous for name in ("t", "transpose")]
    assert [*flags, nodes["contiguous"].outputs["output"].is_contiguous] == [True, False, True]


@pytest.mark.row("S018")
def test_that_axes_of_size_1_come_and_go_within_their_range() -> None:
    assert result(fixed((3, 4), ("unsqueeze", {"dim": -3}))).shape == (1, 3, 4)
    assert result(fixed((3, 4), ("unsqueeze", {"dim": 2}))).shape == (3, 4, 1)
    assert result(fixed((1, 3, 1), ("squeeze", {"dim": (0, 2)}))).shape == (3,)
    assert codes(fixed((3, 4), ("unsqueeze", {"dim": 3}))) == ["S016"]
    assert codes(fixed((3, 4), ("unsqueeze", {"dim": -4}))) == ["S016"]


@pytest.mark.row("S019", "S087")
def test_that_cat_joins_along_an_axis_and_stack_along_a_new_one() -> None:
    three = [(10, 5)] * 3
    parts = [drawn(seed, 10, 5) for seed in range(3)]
    joined = result(several("cat", three, dim=0))
    assert joined.shape == (30, 5)
    assert torch.equal(joined, torch.cat(parts))
    assert result(several("stack", three, dim=0)).shape == (3, 10, 5)
    assert codes(several("cat", [(10, 5), (10, 4)], dim=0)) == ["S010"]
    assert codes(several("stack", [(10, 5), (10, 4)], dim=0)) == ["S018"]


@pytest.mark.row("S020")
def test_that_classes_become_rows_with_a_one() -> None:
    labels: dict[str, Value] = {
        "shape": (4,),
        "fill": "values",
        "values": (0.0, 2.0, 1.0, 3.0),
        "dtype": "int64",
    }
    graph = chain(
        ("Constant", labels, "t"), ("one_hot", {"num_classes": 4}), ("Output", {}, "output")
    )
    index = torch.tensor([0, 2, 1, 3]).view(-1, 1)
    assert torch.equal(result(graph).float(), torch.zeros(4, 4).scatter_(1, index, 1.0))


@pytest.mark.row("S022")
def test_that_a_vector_a_channel_is_stretched_over_the_picture() -> None:
    graph = model((64, 7, 7), ("mul", {}, "scaled"))
    graph, _ = add(graph, "Parameter", "gate", shape=(512,), fill="ones")
    graph, _ = add(graph, "narrow", "cut", dim=0, start=0, length=64)
    graph, _ = add(graph, "reshape", "shaped", shape=(1, 64, 1, 1))
    graph, _ = add(graph, "expand", "stretched", sizes=(-1, 64, 7, 7))
    for source, target in (("gate", "cut"), ("cut", "shaped"), ("shaped", "stretched")):
        graph = wire(graph, source, target)
    graph = wire(graph, "stretched", "scaled.other")
    assert analyse(graph).is_ok()
    assert to_module(graph)(torch.ones(5, 64, 7, 7)).shape == (5, 64, 7, 7)


@pytest.mark.row("S022")
def test_that_a_class_token_is_repeated_for_every_sample() -> None:
    graph = model((196, 768), ("cat", {"dim": 1}, "joined"))
    graph, _ = add(graph, "Parameter", "token", shape=(1, 1, 768), fill="trunc_normal", std=0.02)
    graph, _ = add(graph, "expand_batch", "tokens")
    graph = wire(wire(graph, "token", "tokens.input"), "x", "tokens.like")
    graph = wire(graph, "tokens", "joined.tensors.1")
    source = to_source(graph)
    assert "self.token.expand(x.shape[0], *self.token.shape[1:])" in source
    assert analyse(graph).nodes["joined"].outputs["output"].shape == ("N", 197, 768)
    assert to_module(graph)(torch.zeros(3, 196, 768)).shape == (3, 197, 768)


@pytest.mark.row("S023")
@pytest.mark.parametrize(
    ("key", "left", "right", "expected"),
    [
        ("mul", (3, 4), (3, 4), (3, 4)),
        ("mul", (3, 4), (4,), (3, 4)),
        ("matmul", (4,), (4,), ()),
        ("matmul", (3, 4), (4,), (3,)),
        ("matmul", (3, 4), (4, 5), (3, 5)),
        ("matmul", (2, 3, 4), (4, 5), (2, 3, 5)),
        ("matmul", (2, 1, 3, 4), (7, 4, 5), (2, 7, 3, 5)),
        ("mm", (3, 4), (4, 5), (3, 5)),
        ("bmm", (10, 3, 4), (10, 4, 5), (10, 3, 5)),
        ("matmul", (3, 4), (3, 4), "S011"),
        ("mm", (2, 3, 4), (4, 5), "S005"),
        ("bmm", (3, 4), (4, 5), "S005"),
        ("mul", (3, 4), (3,), "S017"),
    ],
)
def test_that_products_follow_the_table_of_shapes(
    key: str, left: tuple[int, ...], right: tuple[int, ...], expected: tuple[int, ...] | str
) -> None:
    graph = several(key, [left, right])
    if isinstance(expected, str):
        assert codes(graph) == [expected]
    else:
        assert result(graph).shape == expected


EQUATIONS = {
    "transpose": ("ij->ji", [(3, 4)]),
    "sum": ("ij->", [(3, 4)]),
    "column sum": ("ij->j", [(3, 4)]),
    "row sum": ("ij->i", [(3, 4)]),
    "matrix and vector": ("ik,k->i", [(3, 4), (4,)]),
    "matrices": ("ik,kj->ij", [(3, 4), (4, 5)]),
    "dot": ("i,i->", [(4,), (4,)]),
    "outer": ("i,j->ij", [(3,), (4,)]),
    "batch of matrices": ("ijk,ikl->ijl", [(3, 2, 5), (3, 5, 3)]),
    "bilinear": ("bn,anm,bm->ba", [(2, 3), (5, 3, 4), (2, 4)]),
    "six letters": ("pqrs,tuqvr->pstuv", [(2, 3, 5, 7), (11, 13, 3, 17, 5)]),
    "no arrow": ("ik,kj", [(3, 4), (4, 5)]),
    "ellipsis": ("...ij->...ji", [(2, 3, 4)]),
}


@pytest.mark.row("S024")
@pytest.mark.parametrize("name", EQUATIONS)
def test_that_an_einsum_is_what_torch_makes_of_it(name: str) -> None:
    equation, shapes = EQUATIONS[name]
    tensors = [drawn(seed, *shape) for seed, shape in enumerate(shapes)]
    found = result(several("einsum", shapes, equation=equation))
    assert torch.equal(found, torch.einsum(equation, *tensors))


@pytest.mark.row("S024")
@pytest.mark.parametrize(
    ("equation", "shapes", "code"),
    [
        ("ij;jk", [(3, 4), (4, 5)], "S037"),
        ("ij,jk->ik", [(3, 4)], "S038"),
        ("ij,jk->ik", [(3, 4), (4, 5, 6)], "S039"),
        ("ij,jk->ik", [(3, 4), (5, 6)], "S041"),
        ("ij,jk->iz", [(3, 4), (4, 5)], "S042"),
        ("ij,jk->ii", [(3, 4), (4, 5)], "S042"),
    ],
)
def test_that_an_equation_that_does_not_fit_is_explained(
    equation: str, shapes: list[tuple[int, ...]], code: str
) -> None:
    graph = several("einsum", shapes, equation=equation)
    (problem,) = [p for p in analyse(graph).problems if p.code != "G025"]
    assert (problem.code, problem.field) == (code, "equation")
    assert "{" not in sentence(problem)


@pytest.mark.row("S025")
def test_that_distances_by_broadcasting_are_those_of_cdist() -> None:
    graph, _ = add(Graph(), "Constant", "a", shape=(5, 1, 3), fill="normal", seed=0)
    graph, _ = add(graph, "Constant", "b", shape=(4, 3), fill="normal", seed=1)
    for key in ("sub", "square", "sqrt"):
        graph, _ = add(graph, key)
    graph, _ = add(graph, "sum", dim=2)
    graph, _ = add(graph, "Output", "output")
    graph = wire(wire(graph, "a", "sub.input"), "b", "sub.other")
    for source, target in (("sub", "square"), ("square", "sum"), ("sum", "sqrt")):
        graph = wire(graph, source, target)
    found = result(wire(graph, "sqrt", "output"))
    assert torch.allclose(found, torch.cdist(drawn(0, 5, 3), drawn(1, 4, 3)), atol=1e-5)


@pytest.mark.row("S026")
def test_that_triangles_make_masks() -> None:
    lower = result(fixed((4, 4), ("tril", {})))
    assert torch.equal(lower, given((4, 4)).tril())
    upper = result(fixed((4, 4), ("triu", {"diagonal": 1})))
    assert torch.equal(upper, given((4, 4)).triu(1))
    graph = model((4, 4), ("masked_fill", {"value": -1e9}, "masked"), ("softmax", {"dim": -1}))
    mask: dict[str, Value] = {"shape": (4, 4), "fill": "ones", "dtype": "bool"}
    graph, _ = add(graph, "Buffer", "mask", **mask)
    graph, _ = add(graph, "triu", "hidden", diagonal=1)
    graph = wire(wire(graph, "mask", "hidden"), "hidden", "masked.mask")
    assert analyse(graph).is_ok()
    weights = to_module(graph)(torch.randn(2, 4, 4))
    assert torch.equal(weights.triu(1), torch.zeros(2, 4, 4))


@pytest.mark.row("S027")
def test_that_overwriting_is_offered_and_warned_of_where_it_harms() -> None:
    graph = model((4,), ("Linear", {"out_features": 4}, "fc"), ("relu", {"inplace": True}, "act"))
    assert codes(graph) == []
    assert "F.relu(fc, inplace=True)" in to_source(graph)
    graph, _ = add(graph, "add", "skip")
    read_twice = wire(wire(graph, "fc", "skip.input"), "act", "skip.other")
    assert "S026" in codes(read_twice)
    graph, _ = add(Graph(), "Parameter", "w", shape=(4,), fill="ones")
    graph, _ = add(graph, "relu", "act", inplace=True)
    graph, _ = add(graph, "Output", "output")
    graph = wire(wire(graph, "w", "act"), "act", "output")
    assert codes(graph) == ["S044"]
    with pytest.raises(RuntimeError, match="leaf Variable"):
        functional.relu(nn.Parameter(torch.ones(4)), inplace=True)


@pytest.mark.row("S035")
def test_that_an_axis_is_mirrored_or_shuffled() -> None:
    mirrored = result(fixed((2, 3), ("flip", {"dims": (-1,)})))
    assert torch.equal(mirrored, given((2, 3)).flip(-1))
    module = to_module(fixed((100,), ("shuffle", {"dim": 0})))
    torch.manual_seed(0)
    first, second = module(), module()
    assert not torch.equal(first, second)
    assert torch.equal(first.sort().values, given((100,)))


def scaled_iris() -> Graph:
    """Return a classifier of iris flowers that uses a tensor of each kind, one of them frozen."""
    graph = chain(
        ("Input", {"field": "features", "shape": (4,)}, "features"),
        ("sub", {}, "centred"),
        ("matmul", {}, "projected"),
        ("mul", {}, "scaled"),
        ("add", {}, "shifted"),
        ("Linear", {"out_features": 3}, "head"),
        ("Output", {}, "logits"),
    )
    mean = (5.8, 3.0, 3.7, 1.2)
    graph, _ = add(graph, "Buffer", "mean", shape=(4,), fill="values", values=mean)
    graph, _ = add(graph, "Constant", "projection", shape=(4, 20), fill="uniform", seed=7)
    graph, _ = add(graph, "Parameter", "scale", shape=(20,), fill="ones")
    graph, _ = add(graph, "Parameter", "shift", shape=(20,), fill="normal", requires_grad=False)
    pairs = (
        ("mean", "centred"),
        ("projection", "projected"),
        ("scale", "scaled"),
        ("shift", "shifted"),
    )
    for source, target in pairs:
        graph = wire(graph, source, f"{target}.other")
    return graph


@pytest.mark.row("S075")
def test_that_a_parameter_registers_itself_and_is_trained(tmp_path: Path) -> None:
    run = make_run(tmp_path, scaled_iris())
    state = train(run)
    assert state.status == "finished"
    saved = open_checkpoint(run, "last").model
    assert not torch.equal(saved["scale"], torch.ones(20))
    torch.manual_seed(iris_spec().seed)
    fresh = to_module(run.document.graph)
    assert dict(fresh.named_parameters()).keys() == {"scale", "shift", "head.weight", "head.bias"}
    assert torch.equal(saved["shift"], fresh.state_dict()["shift"])


@pytest.mark.row("S076")
def test_that_a_buffer_is_listed_apart_and_saved_on_request() -> None:
    module = to_module(scaled_iris())
    assert dict(module.named_buffers()).keys() == {"mean", "projection"}
    assert "mean" in module.state_dict()
    nodes = analyse(scaled_iris()).nodes
    assert (nodes["mean"].parameters, nodes["mean"].buffers) == (0, 4)
    assert (nodes["scale"].parameters, nodes["scale"].buffers) == (20, 0)


@pytest.mark.row("S077")
def test_that_a_random_constant_is_the_same_again_and_saved_only_on_request() -> None:
    params: dict[str, Value] = {"shape": (20, 20), "fill": "uniform", "seed": 5}
    graph = chain(("Constant", params, "rand_weight"), ("Output", {}, "output"))
    module = to_module(graph)
    assert "rand_weight" not in module.state_dict()
    assert not list(module.parameters())
    assert torch.equal(module(), to_module(graph)())
    assert module().shape == (20, 20)
    saved = chain(
        ("Constant", {**params, "persistent": True}, "rand_weight"), ("Output", {}, "output")
    )
    assert set(to_module(saved).state_dict()) == {"rand_weight"}


@pytest.mark.row("S075", "S076", "S077")
@pytest.mark.parametrize("name", ["python", "state-dict", "safetensors"])
def test_that_exports_of_tensors_give_the_same_outputs(tmp_path: Path, name: str) -> None:
    project = Project.create(tmp_path / "iris", "iris-mlp")
    spec = iris_spec(epochs=1, mode="thread")
    handle = start_run(project.path, scaled_iris(), spec, problems=())
    assert handle.wait(PATIENCE_S)
    assert handle.exit_reason == "finished"
    suffix = {"python": ".py", "state-dict": ".pt", "safetensors": ".safetensors"}[name]
    report = export(handle.folder.path, name, tmp_path / f"model{suffix}")
    assert report.largest_difference == 0


@pytest.mark.row("S086")
def test_that_bilinear_is_the_einsum() -> None:
    graph, _ = add(Graph(), "Constant", "left", shape=(2, 3), fill="normal", seed=0)
    graph, _ = add(graph, "Constant", "right", shape=(2, 4), fill="normal", seed=1)
    graph, _ = add(graph, "Bilinear", "both", out_features=5, bias=False)
    graph, _ = add(graph, "Output", "output")
    graph = wire(wire(graph, "left", "both.input1"), "right", "both.input2")
    module = to_module(wire(graph, "both", "output"))
    weight = module.state_dict()["both.weight"]
    expected = torch.einsum("bn,anm,bm->ba", drawn(0, 2, 3), weight, drawn(1, 2, 4))
    assert torch.allclose(module(), expected, atol=1e-6)


@pytest.mark.row("S087")
def test_that_the_largest_are_found_with_their_places() -> None:
    graph, _ = add(Graph(), "Constant", "t", shape=(4, 10), fill="normal", seed=0)
    graph, _ = add(graph, "topk", "best", k=3)
    for port in ("values", "indices"):
        graph, _ = add(graph, "Output", port)
        graph = wire(graph, f"best.{port}", port)
    graph = wire(graph, "t", "best")
    values, indices = to_module(graph)()
    expected = drawn(0, 4, 10).topk(3)
    assert torch.equal(values, expected.values)
    assert torch.equal(indices, expected.indices)
    clamped = result(fixed((4,), ("clamp", {"min": 1.0, "max": 2.0}), ("exp", {}), ("mean", {})))
    assert torch.equal(clamped, given((4,)).clamp(1, 2).exp().mean())


@pytest.mark.row("S087")
def test_that_an_axis_is_taken_apart_into_as_many_outputs_as_it_has_places() -> None:
    graph = model((3, 8), ("unbind", {"count": 3, "dim": 1}, "parts"))
    assert analyse(graph).nodes["parts"].outputs["output.2"].shape == ("N", 8)
    assert codes(model((3, 8), ("unbind", {"count": 2, "dim": 1}))) == ["S043"]


@pytest.mark.row("S372")
def test_that_operators_suffice_for_attention() -> None:
    graph = model((5, 8), ("bmm", {}, "raw_weights"), ("softmax", {"dim": -1}), ("bmm", {}, "y"))
    graph, _ = add(graph, "transpose", "flipped", dim0=1, dim1=2)
    graph = wire(wire(graph, "x", "flipped"), "flipped", "raw_weights.mat2")
    graph = wire(graph, "x", "y.mat2")
    x = torch.randn(3, 5, 8)
    weights = functional.softmax(torch.bmm(x, x.transpose(1, 2)), dim=2)
    assert analyse(graph).nodes["raw_weights"].outputs["output"].shape == ("N", 5, 5)
    assert torch.equal(to_module(graph)(x), torch.bmm(weights, x))
