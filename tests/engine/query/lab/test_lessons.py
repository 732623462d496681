"""Every lesson of the lab, run as the window runs it, shows what notes and PyTorch say.

The rows of the table of capabilities are those of its sections on tensors and on autograd.
"""

import pytest
import torch

from engine.query.lab.request import (
    AskBroadcast,
    AskEinsum,
    AskIndex,
    LabReport,
    RunBackward,
    RunCode,
    TensorReport,
)
from engine.query.lab.session import LabSession
from studio.inspect.lab.lesson import lessons

ON_PURPOSE = {
    "freed-graph": "L010",
    "versions": "L011",
    "constructors": "L002",
    "numpy": "L019",
    "item": "L021",
    "view-reshape": "L015",
    "squeeze": "L017",
    "products": "L024",
    "in-place": "L012",
    "axis-names": "L036",
    "random": "L020",
    "shuffle": "L018",
    "devices": "L043",
}


class Played:
    """A lesson that was run, with its session and its tensors by name."""

    def __init__(self, name: str, **switches) -> None:
        self.session = LabSession()
        self.take(self.session.answer(RunCode(code=lessons()[name].source, **switches)))

    def take(self, report: LabReport) -> None:
        self.report = report
        self.tensors = {each.name: each for each in report.tensors}

    def backward(self, root: str, **how) -> None:
        self.take(self.session.answer(RunBackward(root=root, **how)))

    def __getitem__(self, name: str) -> TensorReport:
        return self.tensors[name]

    def outputs(self) -> list[str]:
        return [output.text for output in self.report.outputs]

    def codes(self) -> list[str]:
        return [each.problem.code for each in self.report.problems]

    def shape(self, name: str) -> tuple[int, ...]:
        return self.tensors[name].meta.shape


@pytest.mark.parametrize("name", lessons())
def test_that_a_lesson_runs_to_its_end_or_fails_as_it_says(name):
    lesson, played = lessons()[name], Played(name)
    assert played.codes() == ([ON_PURPOSE[name]] if name in ON_PURPOSE else [])
    assert set(lesson.title) == set(lesson.text) == {"en", "zh_CN"}
    if name in ON_PURPOSE:
        assert "on purpose" in lesson.text["en"] or "fails" in lesson.text["en"]
        assert played.report.problems[0].line == len(lesson.code)
    asked = {"broadcast": AskBroadcast, "einsum": AskEinsum, "index": AskIndex}.get(lesson.view)
    if asked is not None:
        fields = asked.__struct_fields__
        answer = played.session.answer(asked(**dict(zip(fields, lesson.ask, strict=True))))
        assert answer.problem is None


@pytest.mark.row("S040", "S039")
def test_that_the_table_of_the_worked_example_equals_the_notes():
    played = Played("worked-example")
    names = ("l1", "l2", "l3", "l4", "loss")
    assert [float(played[name].text.strip("tensor([.])")) for name in names] == [2, 5, 8, 40, 40]
    played.backward("loss")
    grads = [played[name].grad for name in ("w1", "w2", "w3", "l1", "l2", "l3", "l4")]
    assert grads == ["tensor([28.])", "tensor([8.])", "tensor([10.])", "", "", "", ""]
    arrived = {each.function: each for each in played.report.flows}
    assert [arrived[played[name].function].gradient for name in names] == [
        "tensor([28.])", "tensor([8.])", "tensor([5.])", "tensor([1.])", "1",
    ]  # fmt: skip
    assert sorted(each.order for each in played.report.flows) == list(range(1, 9))


@pytest.mark.row("S001", "S002")
def test_that_a_tensor_tells_every_attribute_and_its_next_functions():
    told = dict(Played("attributes")["Q"].attributes)
    assert told["data"] == "-12"
    assert told["grad_fn"] == "SubBackward0"
    assert told["grad_fn.next_functions"] == "(MulBackward0, 0), (PowBackward0, 0)"
    made = torch.tensor(-12.0, requires_grad=True) * 1
    for name in ("dtype", "shape", "device", "layout", "ndim", "is_leaf", "requires_grad"):
        assert told[name] == str(getattr(made, name))
    for name in ("output_nr", "is_cuda", "is_meta", "is_quantized", "is_sparse", "is_mkldnn"):
        assert told[name] == str(getattr(made, name))
    assert told["grad"] == "None"
    assert "names" not in told  # gone from PyTorch


@pytest.mark.row("S250", "S254", "S256")
def test_that_a_tensor_is_copied_to_a_device_and_a_module_goes_there_itself():
    played = Played("devices")
    stays, in_place, in_a_list = played.outputs()
    assert stays == "(device(type='cpu'), device(type='meta'), True)"
    assert in_place == "(True, device(type='meta'))"
    assert in_a_list == "(device(type='meta'), device(type='cpu'))"
    told = {name: dict(played[name].attributes)["device"] for name in ("x", "moved", "y")}
    assert told == {"x": "cpu", "moved": "meta", "y": "meta"}


@pytest.mark.row("S037", "S038", "S044", "S045")
def test_that_backward_gives_the_gradients_of_the_notes():
    played = Played("scalar-backward")
    assert [played[name].text for name in "abc"] == ["1", "2", "3"]
    assert [played[name].grad for name in "ab"] == ["2", "1"]
    played = Played("vector-backward")
    assert played["c"].text.startswith("tensor([ 3., 13.]")
    first, second = played.outputs()
    assert first == "v = [1, 1]: tensor([2., 6.]) tensor([1., 1.])"
    assert second == "v = [1, 2]: tensor([ 2., 12.]) tensor([1., 2.])"
    played.backward("c", gradient="[1., 1.]", retain_graph=True)
    assert played["a"].grad == "tensor([ 4., 18.])"
    played.backward("c", gradient="[1., 1.]", is_accumulating=False)
    assert played["a"].grad == "tensor([2., 6.])"
    played.backward("c")
    assert played.codes() == ["L013"]
    played.backward("c", gradient="[1., 1., 1.]")
    assert played.codes() == ["L032"]


@pytest.mark.row("S036", "S041", "S048")
def test_that_flags_spread_leaves_keep_gradients_and_switches_run_the_code_anew():
    assert [Played("requires-grad")[name].requires_grad for name in "ab"] == [False, True]
    switched = Played("requires-grad", requires_grad={"x": True})
    assert [switched[name].requires_grad for name in "ab"] == [True, True]
    switched = Played("requires-grad", requires_grad={"z": False})
    assert [switched[name].requires_grad for name in "ab"] == [False, False]
    played = Played("leaves")
    assert played.outputs() == ["(False, True, None)"]
    assert played["h"].grad == ""
    assert played["h2"].grad == "tensor([1., 1.])"
    assert Played("leaves", retain_grad=("h",))["h"].grad == "tensor([2., 2.])"
    frozen = Played("freeze")
    assert [frozen[f"net.{name}"].grad for name in ("0.weight", "0.bias")] == ["", ""]
    assert frozen["net.1.bias"].grad == "tensor([1.])"
    assert frozen["net.0.weight"].function == ""


@pytest.mark.row("S043", "S044", "S315")
def test_that_a_graph_is_freed_unless_it_is_kept_and_one_that_saves_nothing_adds():
    played = Played("freed-graph")
    assert played["b"].grad == "tensor([4., 4.])"
    played = Played("worked-example")
    assert not played.report.graph.is_freed
    played.backward("loss", retain_graph=True)
    assert not played.report.graph.is_freed
    played.backward("loss")
    assert played["w1"].grad == "tensor([56.])"
    assert played.report.graph.is_freed
    played.backward("loss")
    assert played.codes() == ["L010"]


@pytest.mark.row("S045", "S046", "S047", "S028")
def test_that_gradients_add_no_grad_builds_nothing_and_detach_shares():
    played = Played("accumulate")
    assert [played[name].text for name in ("first", "second")] == ["2", "4"]
    assert played["w"].grad == "2"
    assert Played("no-grad").outputs() == ["(True, False)"]
    assert Played("no-grad", is_recording=False).outputs() == ["(False, False)"]
    played = Played("detach")
    assert played["detached"].storage == played["y"].storage != played["cloned"].storage
    assert played["both"].storage not in (played["y"].storage, played["cloned"].storage)
    in_graph = {name: bool(played[name].grad_fn) for name in ("cloned", "detached", "both")}
    assert in_graph == {"cloned": True, "detached": False, "both": False}
    assert "100." in played.outputs()[0]


@pytest.mark.row("S049", "S050", "S324", "S053")
def test_that_the_graph_follows_loops_and_versions_are_compared():
    played = Played("control-flow")
    turns = int(played.outputs()[0])
    functions = [node.name for node in played.report.graph.nodes]
    assert functions.count("DivBackward0") == turns == 4
    played = Played("versions")
    assert played["a"].version == 2
    assert played.report.problems[0].problem.params["version"] == "1"


@pytest.mark.row("S051", "S052", "S055", "S056")
def test_that_the_chain_rule_hooks_and_descent_by_hand_are_as_computed():
    played = Played("chain-rule")
    played.backward("z")
    assert played["x"].grad == played["by_hand"].text
    order = {each.function: each.order for each in played.report.flows}
    assert order[played["z"].function] < order[played["y"].function] < order[played["x"].function]
    played = Played("hooks")
    assert played.outputs() == ["arrived at h: tensor([1., 1.])"]
    assert played["w"].grad == "tensor([1.5000, 1.5000])"
    first, last = eval(Played("manual-sgd").outputs()[0])
    assert last < first * 1e-6


@pytest.mark.row("S042")
def test_that_the_graph_is_the_walk_along_next_functions():
    played = Played("walk")
    walked = [line.split(":")[-1].strip() for line in played.outputs()[0].split("\n")]
    assert set(walked) == {node.name for node in played.report.graph.nodes}
    assert walked[:2] == ["MeanBackward0", "AddmmBackward0"]


@pytest.mark.row("S003", "S004", "S005", "S006", "S007", "S008")
def test_that_tensors_are_made_with_the_types_that_pytorch_gives():
    played = Played("create")
    assert played["new"].meta.dtype == played["copied"].meta.dtype == "float64"
    assert played["counted"].text == "tensor([0, 2, 4, 6, 8])"
    assert played["alike"].meta == played["ones"].meta
    played = Played("constructors")
    assert [played[name].meta.dtype for name in "abcd"] == ["float32", "int64"] + ["float32"] * 2
    assert [played.shape(name) for name in ("c", "d", "scalar")] == [(0,), (0,), ()]
    played = Played("dtypes")
    names = ("wide", "mixed", "floating", "joined", "weak", "cast", "alike", "from_numpy")
    assert [played[name].meta.dtype for name in names] == [
        "float64", "int64", "float32", "int64", "float32", "float32", "int64", "float64",
    ]  # fmt: skip


@pytest.mark.row("S009", "S010", "S011")
def test_that_numpy_shares_images_convert_and_single_numbers_come_out():
    played = Played("numpy")
    assert played.outputs()[-1] == "array([2., 2., 2.])"
    assert played["copied"].text == "tensor([1., 1., 1.], dtype=torch.float64)"
    assert Played("image").outputs() == ["((2, 4, 3), True)"]
    assert Played("image")["pixels"].meta.dtype == "uint8"
    assert Played("item").outputs() == ["7.5", "[1, 2, 3]"]


@pytest.mark.row("S012", "S013", "S035")
def test_that_indices_take_what_the_view_marks():
    played = Played("slicing")
    assert [played.shape(name) for name in ("first", "two", "stepped")] == [
        (3, 28, 28), (2, 2, 28, 28), (4, 3, 14, 14),
    ]  # fmt: skip
    assert played["stepped"].storage == played["a"].storage
    answer = played.session.answer(AskIndex(tensor="torch.arange(12).view(3, 4)", index="1:, ::2"))
    assert answer.chosen == (4, 6, 8, 10)
    assert answer.result_values == ("4", "6", "8", "10")
    assert answer.is_view
    played = Played("picking")
    assert played["taken"].text == "tensor([3, 7, 3])"
    answer = played.session.answer(AskIndex(tensor="x", index="x > 2"))
    assert (answer.chosen, answer.is_view) == ((0, 1, 4, 5), False)
    assert played.session.answer(AskIndex(tensor="x", index="5")).problem.code == "L030"
    assert Played("shuffle").outputs() == ["True"]


@pytest.mark.row("S014", "S015", "S016", "S017", "S018", "S019", "S323", "S337")
def test_that_shapes_change_as_pytorch_changes_them():
    played = Played("view-reshape")
    assert [played.shape(name) for name in ("seen", "flat", "same")] == [(3, 4), (4, 12), (4, 12)]
    assert played["seen"].storage == played["x"].storage != played["copied"].storage
    played = Played("permute")
    assert played.shape("moved") == (5, 2, 3)
    assert played.outputs() == ["(True, False)"]
    assert Played("contiguous").outputs() == ["(True, False, True)"]
    assert not Played("contiguous")["small_turned"].is_contiguous
    played = Played("squeeze")
    assert [played.shape(name) for name in ("front", "back", "gone")] == [
        (1, 2, 3), (2, 3, 1), (2, 3),
    ]  # fmt: skip
    played = Played("cat-stack")
    assert [played.shape(name) for name in ("joined", "piled")] == [(30, 5), (3, 10, 5)]


@pytest.mark.row("S020", "S021", "S025", "S026", "S031", "S033")
def test_that_recipes_give_what_pytorch_has_for_them():
    one_hot = torch.nn.functional.one_hot(torch.tensor([0, 2, 1, 3])).float()
    assert Played("one-hot")["one_hot"].text == repr(one_hot)
    assert Played("compare").outputs() == ["(False, True)"]
    assert Played("distances").outputs() == ["True"]
    assert Played("triangles")["upper"].text == repr(torch.arange(1, 10).reshape(3, 3).triu(1))
    played = Played("layouts")
    assert dict(played["sparse"].attributes)["layout"] == "torch.sparse_coo"
    assert dict(played["shape_only"].attributes)["is_meta"] == "True"
    assert Played("random").outputs()[-1] == "True"


@pytest.mark.row("S022", "S335")
def test_that_broadcasting_is_shown_axis_by_axis():
    played = Played("broadcasting")
    assert played.shape("spread") == (64, 512, 7, 7)
    assert played.outputs() == ["(512, 1, 0, 0)"]
    answer = played.session.answer(AskBroadcast(left="(3, 1, 5)", right="torch.ones(4, 1)"))
    assert [(each.left, each.right, each.result) for each in answer.axes] == [
        (3, -1, 3), (1, 4, 4), (5, 1, 5),
    ]  # fmt: skip
    bad = played.session.answer(AskBroadcast(left="(3, 2)", right="(4, 2)"))
    assert (bad.problem.code, bad.axes[0].result) == ("L051", -1)
    for text in ("'word'", "(1, -2)", "1.5", "no_name", "(("):
        assert played.session.answer(AskBroadcast(left=text, right="(2,)")).problem is not None
    code = "torch.nn.functional.mse_loss(torch.ones(4, 1), torch.ones(4))"
    report = played.session.answer(RunCode(code=code))
    assert (report.problems[0].problem.code, report.problems[0].line) == ("L041", 1)


@pytest.mark.row("S023", "S024")
def test_that_products_and_einsum_agree():
    played = Played("products")
    names = ("elementwise", "row_wise", "matrix", "matrix_vector", "inner", "batched", "spread")
    assert [played.shape(name) for name in names] == [
        (2, 3), (2, 3), (2, 4), (2,), (), (5, 2, 4), (5, 2, 4),
    ]  # fmt: skip
    played = Played("einsum")
    a, b = torch.arange(6.0).reshape(2, 3), torch.arange(12.0).reshape(3, 4)
    assert played["product"].text == repr(a @ b)
    assert played["column_sums"].text == repr(a.sum(0))
    assert [played.shape(name) for name in ("bilinear", "six")] == [(2, 5), (2, 7, 11, 13, 17)]
    answer = played.session.answer(AskEinsum(equation="bn,anm,bm->ba", operands="l, W, r"))
    assert [operand.letters for operand in answer.operands] == [
        ("b", "n"),
        tuple("anm"),
        tuple("bm"),
    ]
    assert (answer.result.shape, answer.summed) == ((2, 5), ("n", "m"))
    for equation, operands, code in (
        ("ij,jk->ik", "A, A", "S041"),
        ("ij", "A, B", "S038"),
        ("i;j", "A", "S037"),
        ("ij->k", "A", "S042"),
        ("ij->i", "3", "L053"),
    ):
        answer = played.session.answer(AskEinsum(equation=equation, operands=operands))
        assert answer.problem.code == code


@pytest.mark.row("S027", "S029", "S030")
def test_that_memory_is_shown_place_by_place():
    played = Played("in-place")
    assert played["x"].version == 2
    assert played["y"].text == "tensor([20., 30.])"
    played = Played("storage")
    assert played.outputs() == ["((4, 1), (1, 4), True)", "2"]
    assert played["turned"].memory.places == (0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11)
    assert played["x"].memory.cells == tuple(map(str, range(12)))
    assert played["a"].text == "tensor([0., 0., 7., 0., 0.])"
    assert played["b"].memory.places == (2, 3, 4)
    assert played["b"].storage == played["a"].storage


@pytest.mark.row("S238", "S239")
def test_that_what_is_saved_together_shares_memory_until_it_is_cloned():
    played = Played("saving")
    first, kept, sizes = played.outputs()
    assert first == "tensor([  0, 100, 200, 300, 400,   5])"
    assert kept == "tensor([0, 1, 2, 3, 4, 5])"
    assert sizes == "[20, 5]", "a view brings its whole storage along"
    letters = {name: played[name].storage for name in "xyabc"}
    assert letters["x"] == letters["y"] != letters["a"] == letters["b"] != letters["c"]


def test_that_every_important_row_of_tensors_and_autograd_has_a_lesson():
    background = {34, 54, 57}  # of these the help tells
    met = {row for lesson in lessons().values() for row in lesson.rows}
    assert met >= {f"S{number:03}" for number in range(1, 58) if number not in background}
