"""Hostile ``.pt2`` files: what each of them is after does not happen, and the user is told why."""

import json
import os
import zipfile
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from engine.diagnostics import DiagnosticError
from engine.importer.pt2 import from_exported

Told = dict[str, Any]
Change = Callable[[Told], None]

X: Told = {"as_tensor": {"name": "x"}}


class Plain(nn.Module):
    """One operation that is no layer, with a weight."""

    def __init__(self) -> None:
        super().__init__()
        self.speed = nn.Parameter(torch.rand(3))

    def forward(self, x: Tensor) -> Tensor:
        return torch.special.i0(x * self.speed)


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("plain") / "plain.pt2"
    torch.export.save(torch.export.export(Plain(), (torch.randn(2, 3),)), path)
    return path


def _rewritten(source: Path, target: Path, change: Change, file: str = "models/model.json") -> Path:
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w") as new:
        for member in old.infolist():
            content = old.read(member)
            if member.filename.endswith(file):
                document = json.loads(content)
                change(document)
                content = json.dumps(document).encode()
            new.writestr(member.filename, content)
    return target


def _node(target: str, name: str, *arguments: Told, **named: Told) -> Told:
    """Return an operation of a program, which gives one tensor."""
    inputs = [{"name": "", "arg": argument, "kind": 1} for argument in arguments]
    inputs += [{"name": key, "arg": argument, "kind": 2} for key, argument in named.items()]
    return {
        "target": target,
        "inputs": inputs,
        "outputs": [{"as_tensor": {"name": name}}],
        "metadata": {},
        "is_hop_single_tensor_return": None,
    }


def _doing(plain: Path, folder: Path, *nodes: Told) -> Path:
    """Return a file that does these operations before its own; its own come out."""

    def planted(document: Told) -> None:
        graph = document["graph_module"]["graph"]
        graph["nodes"][:0] = nodes

    return _rewritten(plain, folder / "evil.pt2", planted)


def _refused(path: Path) -> DiagnosticError:
    with pytest.raises(DiagnosticError) as caught:
        from_exported(path)
    return caught.value


def _code(path: Path) -> str:
    return _refused(path).problems[0].code


def _tensor(name: str) -> Told:
    return {"as_tensor": {"name": name}}


@pytest.mark.fault("S02")
@pytest.mark.parametrize("is_written", [True, False])
def test_that_a_program_maps_and_writes_no_file(
    plain: Path, tmp_path: Path, is_written: bool
) -> None:
    victim = tmp_path / "victim"
    victim.write_bytes(b"kept" * 1024)
    mapped = _node(
        "torch.ops.aten.from_file.default",
        "mapped",
        {"as_string": str(victim)},
        {"as_bool": True},
        {"as_int": 4096},
        dtype={"as_scalar_type": 1},
    )
    part = _node(
        "torch.ops.aten.slice.Tensor", "part", _tensor("mapped"), {"as_int": 0}, {"as_int": 1}
    )
    written = _node("torch.ops.aten.fill_.Scalar", "written", _tensor("part"), {"as_int": 0})
    nodes = [mapped, part, written] if is_written else [mapped]
    error = _refused(_doing(plain, tmp_path, *nodes))
    assert victim.read_bytes() == b"kept" * 1024
    assert error.problems[0].code == "I039"
    assert "aten.from_file" in str(error)


@pytest.mark.fault("S02")
@pytest.mark.parametrize(
    "target",
    [
        "torch.ops.aten.save.default",
        "torch.ops.aten._print.default",
        "torch.ops.aten.set_.source_Tensor",
        "torch.ops.aten.resize_.default",
        "torch.ops.aten.add.out",
        "torch.ops.aten.mul.left_t",
        "torch.ops.aten.split.str",
        "torch.ops.aten._reshape_alias.default",
    ],
)
def test_that_only_operations_that_compute_are_looked_up(
    plain: Path, tmp_path: Path, target: str
) -> None:
    assert _code(_doing(plain, tmp_path, _node(target, "bad", X))) == "I039"


@pytest.mark.fault("S02")
@pytest.mark.parametrize(
    "target",
    [
        "torch.ops.prim.Print.default",
        "torch.ops.profiler._record_function_enter.default",
        "torch.ops.aten.add.__class__",
        "torch.ops.aten.add.Tensor.__globals__",
        "_operator.attrgetter",
        "_operator.methodcaller",
        "torch.sym_sqrt",
        "builtins.eval",
        "torch.ops.aten.a\u0064d.Ｔensor",
    ],
)
def test_that_what_is_no_operation_is_never_called(
    plain: Path, tmp_path: Path, target: str
) -> None:
    assert _code(_doing(plain, tmp_path, _node(target, "bad", X))) == "I033"


def _sizes(*sizes: int) -> Told:
    return {"as_ints": list(sizes)}


@pytest.mark.fault("B06")
@pytest.mark.parametrize(
    "node",
    [
        _node("torch.ops.aten.empty.memory_format", "huge", _sizes(2**50)),
        _node(
            "torch.ops.aten.full.default",
            "huge",
            _sizes(2**20, 2**20),
            {"as_float": 1.0},
            dtype={"as_scalar_type": 7},
        ),
        _node("torch.ops.aten.arange.default", "huge", {"as_int": 2**40}),
        _node("torch.ops.aten.eye.default", "huge", {"as_int": 2**22}),
        _node("torch.ops.aten.pad.default", "huge", X, _sizes(2**40, 0)),
    ],
    ids=["empty", "full", "arange", "eye", "pad"],
)
def test_that_no_operation_takes_terabytes(plain: Path, tmp_path: Path, node: Told) -> None:
    assert _code(_doing(plain, tmp_path, node)) == "I056"


def _with_input(plain: Path, folder: Path, size: Told) -> Path:
    def planted(document: Told) -> None:
        graph = document["graph_module"]["graph"]
        graph["tensor_values"]["x"]["sizes"][1] = size
        graph["nodes"] = graph["nodes"][-1:]
        graph["nodes"][0]["inputs"][0]["arg"] = X

    return _rewritten(plain, folder / "evil.pt2", planted)


@pytest.mark.fault("B06")
def test_that_an_input_of_terabytes_is_not_made(plain: Path, tmp_path: Path) -> None:
    assert _code(_with_input(plain, tmp_path, {"as_int": 2**40})) == "I056"


@pytest.mark.fault("B03")
@pytest.mark.parametrize(
    "size",
    [
        {"as_int": float("inf")},
        {"as_int": float("nan")},
        {"as_int": 10**30},
        {"as_expr": {"expr_str": "s0", "hint": {"as_int": float("inf")}}},
        {"as_expr": {"expr_str": "s0", "hint": {"as_int": 10**30}}},
        {"as_expr": {"expr_str": "s0", "hint": [1]}},
    ],
    ids=str,
)
def test_that_a_size_that_is_none_is_told(plain: Path, tmp_path: Path, size: Told) -> None:
    assert _code(_with_input(plain, tmp_path, size)) in ("I031", "I056")


@pytest.mark.fault("B03")
@pytest.mark.parametrize("number", [float("inf"), float("nan"), 10**30, -1, None, [2]])
def test_that_a_size_of_a_weight_that_is_none_is_told(
    plain: Path, tmp_path: Path, number: object
) -> None:
    def planted(document: Told) -> None:
        for weight in document["config"].values():
            weight["tensor_meta"]["sizes"] = [{"as_int": number}]

    file = "weights_config.json"
    assert _code(_rewritten(plain, tmp_path / "evil.pt2", planted, file)) == "I031"


@pytest.mark.fault("B06")
def test_that_doubling_again_and_again_is_stopped_before_it_is_done(
    plain: Path, tmp_path: Path
) -> None:
    names = ["x", *(f"d{index}" for index in range(60))]
    nodes = [
        _node(
            "torch.ops.aten.cat.default",
            name,
            {"as_tensors": [{"name": before}, {"name": before}]},
        )
        for before, name in pairwise(names)
    ]
    assert _code(_doing(plain, tmp_path, *nodes)) == "I056"


@pytest.mark.fault("S02")
@pytest.mark.parametrize("target", ["torch.ops.aten.add_.Tensor", "torch.ops.aten.fill_.Scalar"])
@pytest.mark.parametrize("is_view", [True, False])
def test_that_no_weight_is_written_into(
    plain: Path, tmp_path: Path, target: str, is_view: bool
) -> None:
    given = X if target.endswith("Tensor") else {"as_int": 0}
    view = _node("torch.ops.aten.view.default", "view", _tensor("p_speed"), _sizes(1, 3))
    written = _node(target, "written", _tensor("view" if is_view else "p_speed"), given)
    error = _refused(_doing(plain, tmp_path, *([view] if is_view else []), written))
    assert error.problems[0].code == "I008"
    assert target.split(".")[-2] in str(error)


def _number(target: str, *arguments: Told) -> Told:
    return {**_node(target, "n", *arguments), "outputs": [{"as_sym_int": {"as_name": "n"}}]}


@pytest.mark.fault("B06")
@pytest.mark.parametrize(
    "node",
    [
        _number("_operator.mul", {"as_string": "x" * 1000}, {"as_int": 10**9}),
        _number("_operator.mod", {"as_string": "%9999999999d"}, {"as_int": 1}),
        _number("_operator.pow", {"as_int": 10}, {"as_int": 10**9}),
        _number("_operator.mul", {"as_ints": [1] * 1000}, {"as_int": 10**9}),
        _number("_operator.add", X, {"as_int": 1}),
        _number("torch.sym_int", {"as_string": "7"}),
    ],
    ids=["text", "format", "power", "list", "tensor", "word"],
)
def test_that_arithmetic_is_of_numbers_that_stay_small(
    plain: Path, tmp_path: Path, node: Told
) -> None:
    assert _code(_doing(plain, tmp_path, node)) == "I031"


@pytest.mark.fault("B06")
def test_that_a_million_operations_are_too_many(plain: Path, tmp_path: Path) -> None:
    def planted(document: Told) -> None:
        document["graph_module"]["graph"]["nodes"] = [{}] * 1_000_000

    assert _code(_rewritten(plain, tmp_path / "evil.pt2", planted)) == "I057"


def _without_gradients(nodes: list[Told]) -> Told:
    part = {"inputs": [], "outputs": [], "nodes": nodes}
    arguments = ({"as_bool": False}, {"as_graph": {"name": "part", "graph": part}})
    node = _node("torch.ops.higher_order.wrap_with_set_grad_enabled", "part", *arguments)
    return {**node, "name": "part", "outputs": [{"as_tensors": []}]}


@pytest.mark.fault("B06")
@pytest.mark.parametrize("is_nested", [True, False])
def test_that_operations_inside_of_others_count(
    plain: Path, tmp_path: Path, is_nested: bool
) -> None:
    sines = [_node("torch.ops.aten.sin.default", f"s{index}", X) for index in range(30_000)]
    nodes = [_without_gradients(sines), *sines] if is_nested else [*sines, *sines]
    assert _code(_doing(plain, tmp_path, *nodes)) == "I057"


@pytest.mark.fault("B03")
def test_that_deep_nesting_is_told(plain: Path, tmp_path: Path) -> None:
    argument: Told = {"as_int": 1}
    for _ in range(200):
        argument = {"as_sym_ints": [argument]}
    assert _code(_doing(plain, tmp_path, _node("torch.ops.aten.sum.dim_IntList", "s", X, argument)))
    node = _node("torch.ops.aten.sin.default", "s", X)
    for _ in range(120):
        node = _without_gradients([node])
    assert _code(_doing(plain, tmp_path, node)) == "I031"
    deep = _node("torch.ops.aten.sin.default", "s", X)
    path = ".".join(["part"] * 20_000)
    deep["metadata"] = {"nn_module_stack": f"k,{path},some.Module"}
    assert _code(_doing(plain, tmp_path, deep)) == "I031"


@pytest.mark.fault("B06")
def test_that_a_list_that_is_too_long_is_not_read(
    plain: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from_exported(plain)
    monkeypatch.setattr("engine.importer.archive._MAXIMUM_JSON", 1 << 14)
    assert (
        _code(_rewritten(plain, tmp_path / "l.pt2", lambda d: d.update(more="x" * (1 << 14))))
        == "I031"
    )


@pytest.mark.fault("B06")
@pytest.mark.parametrize("is_same", [True, False])
def test_that_the_bytes_of_a_file_are_not_used_again_and_again(
    tmp_path: Path, is_same: bool
) -> None:
    module = nn.Sequential(nn.Linear(64, 64), nn.Sigmoid())
    torch.export.save(torch.export.export(module, (torch.rand(2, 64),)), tmp_path / "line.pt2")

    def planted(document: Told) -> None:
        weight = document["config"]["0.weight"]
        for row in range(20_000):
            meta = weight["tensor_meta"]
            if not is_same:
                meta = {**meta, "sizes": [{"as_int": 1}, {"as_int": 64 + row % 4000}]}
                meta["storage_offset"] = {"as_int": row % 29}
            document["config"][f"more{row}"] = {**weight, "tensor_meta": meta}

    evil = _rewritten(tmp_path / "line.pt2", tmp_path / "evil.pt2", planted, "weights_config.json")
    assert _code(evil) == "I031"


@pytest.mark.fault("B02")
def test_that_an_archive_with_a_password_is_told(plain: Path, tmp_path: Path) -> None:
    content = bytearray(plain.read_bytes())
    place = 0
    while (place := content.find(b"PK\x01\x02", place + 1)) > 0:
        content[place + 8] |= 1  # encrypted, in the list of the archive's parts
    file = tmp_path / "locked.pt2"
    file.write_bytes(content)
    assert _code(file) == "I031"


@pytest.mark.fault("B01")
def test_that_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.pt2")
    assert _code(tmp_path / "pipe.pt2") == "I030"
