"""Files of ``torch.export``: read as data, whole or not at all."""

import contextlib
import json
import random
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from engine.diagnostics import DiagnosticError
from engine.graph.block import block_name
from engine.importer.module import require_same_results
from engine.importer.pt2 import ExportedModel, from_exported
from engine.model.analysis import analyse
from engine.model.module import to_module


class Block(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.conv, self.norm = nn.Conv2d(width, 8, 3, padding=1), nn.BatchNorm2d(8)
        self.act = nn.ReLU()

    def forward(self, x: Tensor) -> Tensor:
        return self.act(self.norm(self.conv(x))) + 1


class Net(nn.Module):
    shift: Tensor

    def __init__(self) -> None:
        super().__init__()
        self.stages = nn.ModuleList([Block(3), Block(8)])
        self.head = nn.Sequential(nn.Dropout(0.3), nn.Linear(8, 5))
        self.register_buffer("shift", torch.ones(5))

    def forward(self, x: Tensor) -> dict[str, Tensor]:
        for stage in self.stages:
            x = stage(x)
        y = torch.special.i0(self.head(x.mean((2, 3)))) * self.shift
        return {"scores": y, "flat": x[:, :, ::2].reshape(x.shape[0], 2, -1)}


def _exported(path: Path, *, is_training: bool, is_open: bool = True) -> nn.Module:
    module = Net().train(is_training)
    sizes = {"x": {0: torch.export.Dim("batch")}} if is_open else None
    program = torch.export.export(module, (torch.randn(2, 3, 6, 6),), dynamic_shapes=sizes)
    torch.export.save(program, path)
    return module


def _imported(module: nn.Module, x: Tensor, folder: Path) -> ExportedModel:
    """Export a module with an open batch, and import it."""
    sizes = {"x": {0: torch.export.Dim("batch")}}
    program = torch.export.export(module, (x,), dynamic_shapes=sizes)
    torch.export.save(program, folder / "module.pt2")
    return from_exported(folder / "module.pt2")


def _rebuilt(found: ExportedModel) -> nn.Module:
    """Return the module of an imported graph, with the weights of the program."""
    module = to_module(found.graph)
    module.load_state_dict(found.module.state_dict())
    return module


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("pt2") / "net.pt2"
    _exported(path, is_training=False)
    return path


@pytest.mark.row("P11")
@pytest.mark.parametrize(("is_training", "is_open"), [(True, True), (False, False)])
def test_that_an_exported_model_is_the_same_with_its_weights(
    tmp_path: Path, is_training: bool, is_open: bool
) -> None:
    original = _exported(tmp_path / "net.pt2", is_training=is_training, is_open=is_open)
    found = from_exported(tmp_path / "net.pt2")
    assert found.mode == ("training" if is_training else "evaluation")
    require_same_results(found.graph, found.module, found.inputs, [found.mode])
    built = _rebuilt(found)
    x = torch.randn(5, 3, 6, 6)
    expected = original.eval()(x)
    assert all(map(torch.equal, built.eval()(x), expected.values()))
    assert set(built.state_dict()) == set(original.state_dict())


class Rotated(nn.Module):
    """Has a part without gradients, as the positions of language models have."""

    def __init__(self) -> None:
        super().__init__()
        self.line = nn.Linear(3, 3)
        self.speed = nn.Parameter(torch.rand(3))

    def forward(self, x: Tensor) -> Tensor:
        with torch.no_grad():
            angle = x * self.speed
            turn = angle.sin()
        return self.line(x) + turn * angle


@pytest.mark.row("P11")
def test_that_what_is_computed_without_gradients_stays_so(tmp_path: Path) -> None:
    original, x = Rotated(), torch.randn(2, 3)
    found = _imported(original, x, tmp_path)
    built = _rebuilt(found)
    assert torch.equal(built(x), original(x))
    for model in (built, original):
        model(x).sum().backward()
    gradients = {name: weight.grad for name, weight in built.named_parameters()}
    assert gradients["speed"] is None
    assert torch.equal(gradients["line.weight"], original.line.weight.grad)


class Tied(nn.Module):
    """Holds a weight under two names, and one that forward never reads."""

    def __init__(self) -> None:
        super().__init__()
        self.shared = nn.Embedding(5, 4)
        self.words = nn.Embedding(5, 4)
        self.words.weight = self.shared.weight
        self.mask = nn.Parameter(torch.rand(4))

    def forward(self, x: Tensor) -> Tensor:
        return self.words(x).tanh()


@pytest.mark.row("P11")
def test_that_weights_that_are_never_read_are_left_out_and_named(tmp_path: Path) -> None:
    original, x = Tied(), torch.randint(0, 5, (2, 3))
    found = _imported(original, x, tmp_path)
    require_same_results(found.graph, found.module, found.inputs, [found.mode])
    assert "mask" in found.unread
    built = _rebuilt(found)
    assert set(built.state_dict()) | set(found.unread) == set(original.state_dict())
    assert torch.equal(built(x), original(x))


class Words(nn.Embedding):
    def forward(self, x: Tensor) -> Tensor:
        return super().forward(x) * 2


class Speaker(nn.Module):
    """Turns rows back into words by the weights of the embedding, which is no plain layer."""

    def __init__(self) -> None:
        super().__init__()
        self.words = Words(5, 4)
        self.head = nn.Linear(4, 5, bias=False)
        self.head.weight = self.words.weight

    def forward(self, x: Tensor) -> Tensor:
        return self.head(torch.special.i0(self.words(x)))


@pytest.mark.row("P11")
def test_that_weights_of_two_kinds_of_modules_stay_one(tmp_path: Path) -> None:
    original, x = Speaker(), torch.randint(0, 5, (2, 3))
    found = _imported(original, x, tmp_path)
    built = _rebuilt(found)
    assert torch.equal(built(x), original(x))
    assert set(built.state_dict()) == set(original.state_dict())
    assert [p.shape for p in built.parameters()] == [p.shape for p in original.parameters()]
    assert analyse(found.graph).parameters == 5 * 4


class Related(nn.Module):
    """Reads the weight of an embedding that is never called, and hands it to other modules."""

    def __init__(self) -> None:
        super().__init__()
        self.places = nn.Embedding(5, 4)
        self.norm = nn.LayerNorm(4)
        self.inner = TensorInference()

    def forward(self, x: Tensor) -> Tensor:
        return self.inner(x, self.norm(self.places.weight))


class TensorInference(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.line = nn.Linear(4, 4)

    def forward(self, x: Tensor, places: Tensor) -> Tensor:
        return self.line(x) @ places.transpose(0, 1)


@pytest.mark.row("P11")
@pytest.mark.parametrize("is_norm", [True, False])
def test_that_a_weight_that_another_module_reads_keeps_its_name(
    tmp_path: Path, is_norm: bool
) -> None:
    original, x = Related(), torch.randn(2, 4)
    if not is_norm:
        original.norm = nn.Identity()  # pyright: ignore[reportAttributeAccessIssue]
    found = _imported(original, x, tmp_path)
    built = _rebuilt(found)
    assert set(built.state_dict()) == set(original.state_dict())
    assert torch.equal(built(x), original(x))


class Tabled(nn.Module):
    """Reads tables that are not saved: one of many numbers, and one that few words make."""

    table: Tensor
    steps: Tensor

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("table", torch.rand(300, 2), persistent=False)
        self.register_buffer("steps", torch.arange(300), persistent=False)

    def forward(self, x: Tensor) -> Tensor:
        return x @ (self.table * self.steps.unsqueeze(1))


@pytest.mark.row("P11")
def test_that_a_large_table_that_is_not_saved_becomes_a_buffer_that_is(tmp_path: Path) -> None:
    original, x = Tabled(), torch.randn(2, 300)
    found = _imported(original, x, tmp_path)
    assert found.added == ("table",)
    built = _rebuilt(found)
    assert set(built.state_dict()) == {"table"}
    assert torch.equal(built(x), original(x))


class Shifted(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        moved = torch.zeros_like(x)
        moved[:, 1:] = x[:, :-1]
        return moved


def test_that_writing_into_a_part_of_a_tensor_is_told(tmp_path: Path) -> None:
    torch.export.save(torch.export.export(Shifted(), (torch.rand(2, 3),)), tmp_path / "w.pt2")
    with pytest.raises(DiagnosticError) as caught:
        from_exported(tmp_path / "w.pt2")
    assert {problem.code for problem in caught.value.problems} == {"I008"}


class Pooled(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.pool = nn.AdaptiveAvgPool1d(2)

    def forward(self, x: Tensor) -> Tensor:
        return self.pool(x)


def test_that_a_pooling_of_one_axis_comes_back_as_a_layer(tmp_path: Path) -> None:
    model, x = Pooled(), torch.randn(2, 3, 8)
    torch.export.save(torch.export.export(model.eval(), (x,)), tmp_path / "pool.pt2")
    found = from_exported(tmp_path / "pool.pt2")
    assert "AdaptiveAvgPool1d" in {node.type for node in found.graph.nodes.values()}
    require_same_results(found.graph, found.module, found.inputs, [found.mode])


class Staged(nn.Module):
    """Calls lists in turns, of which one holds lists."""

    def __init__(self) -> None:
        super().__init__()
        self.narrow = nn.ModuleList([nn.Conv2d(3, 4, 1), nn.Conv2d(4, 4, 1)])
        self.stages = nn.ModuleList(nn.ModuleList([Gate(), Gate()]) for _ in range(2))

    def forward(self, x: Tensor) -> Tensor:
        for conv, stage in zip(self.narrow, self.stages, strict=True):
            x = conv(x)
            for gate in stage:
                x = gate(x)[0]
        return x


class Gate(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.scale = nn.Parameter(torch.rand(()))

    def forward(self, x: Tensor) -> tuple[Tensor]:
        return (x + self.scale * x.sin(),)


@pytest.mark.row("P11")
def test_that_lists_in_a_list_keep_the_names_of_their_weights(tmp_path: Path) -> None:
    original, x = Staged().eval(), torch.randn(2, 3, 4, 4)
    found = _imported(original, x, tmp_path)
    built = to_module(found.graph).eval()
    built.load_state_dict(found.module.state_dict())
    assert set(built.state_dict()) == set(original.state_dict())
    assert torch.equal(built(x), original(x))


def test_that_modules_and_layers_come_back(program: Path) -> None:
    graph = from_exported(program).graph
    assert set(graph.blocks) == {"Block", "Stages", "Head"}
    inside = {node.type for node in graph.blocks["Block"].nodes.values()}
    assert {"Conv2d", "BatchNorm2d", "ReLU", "add"} <= inside
    uses = [block_name(node) for node in graph.nodes.values() if block_name(node)]
    assert "Head" in uses
    outputs = [node.name for node in graph.nodes.values() if node.type == "Output"]
    assert outputs == ["scores", "flat"]


def _refused(path: Path) -> str:
    with pytest.raises(DiagnosticError) as caught:
        from_exported(path)
    return caught.value.problems[0].code


@pytest.mark.fault("B01")
def test_that_a_file_that_is_cut_off_is_told(program: Path, tmp_path: Path) -> None:
    content, file = program.read_bytes(), tmp_path / "cut.pt2"
    for length in [0, *random.Random(0).sample(range(len(content)), 12)]:
        file.write_bytes(content[:length])
        assert _refused(file) == "I030"


@pytest.mark.fault("B02")
def test_that_no_changed_byte_does_anything_but_be_told(program: Path, tmp_path: Path) -> None:
    content, file = program.read_bytes(), tmp_path / "bit.pt2"
    for place in random.Random(1).sample(range(len(content)), 25):
        changed = bytearray(content)
        changed[place] ^= 1
        file.write_bytes(changed)
        with contextlib.suppress(DiagnosticError):
            from_exported(file)


def _rewritten(
    program: Path, target: Path, change: Callable[[str, bytes], bytes], kind: int = 0
) -> Path:
    with zipfile.ZipFile(program) as old, zipfile.ZipFile(target, "w", kind) as new:
        for member in old.infolist():
            new.writestr(member.filename, change(member.filename, old.read(member)))
    return target


def _with_program(change: Callable[[dict[str, Any]], None]) -> Callable[[str, bytes], bytes]:
    def changed(name: str, content: bytes) -> bytes:
        if not name.endswith("models/model.json"):
            return content
        document: dict[str, Any] = json.loads(content)
        change(document)
        return json.dumps(document).encode()

    return changed


@pytest.mark.fault("B06")
def test_that_a_bomb_is_refused(program: Path, tmp_path: Path) -> None:
    def blown(name: str, content: bytes) -> bytes:
        return bytes(1 << 24) if name.endswith("weight_0") else content

    bomb = _rewritten(program, tmp_path / "bomb.pt2", blown, zipfile.ZIP_DEFLATED)
    assert bomb.stat().st_size < 1 << 20
    assert _refused(bomb) == "I031"


@pytest.mark.fault("S01")
def test_that_pickled_weights_are_not_read(program: Path, tmp_path: Path) -> None:
    def pickled(name: str, content: bytes) -> bytes:
        if not name.endswith("weights_config.json"):
            return content
        return content.replace(b'"use_pickle": false', b'"use_pickle": true', 1)

    assert _refused(_rewritten(program, tmp_path / "pickle.pt2", pickled)) == "I032"


@pytest.mark.fault("S02")
@pytest.mark.parametrize(
    "target", ["os.system", "torch.load", "torch.ops.os.system", "torch.ops.aten.__class__.default"]
)
def test_that_only_operations_of_pytorch_are_called(
    program: Path, tmp_path: Path, target: str
) -> None:
    def renamed(document: dict[str, Any]) -> None:
        document["graph_module"]["graph"]["nodes"][-1]["target"] = target

    assert _refused(_rewritten(program, tmp_path / "call.pt2", _with_program(renamed))) == "I033"


@pytest.mark.fault("S02")
def test_that_texts_of_sizes_and_names_never_run(program: Path, tmp_path: Path) -> None:
    canary = tmp_path / "canary"
    code = f"__import__('pathlib').Path({str(canary)!r}).touch()"

    def planted(document: dict[str, Any]) -> None:
        graph = document["graph_module"]["graph"]
        for value in graph["sym_int_values"].values():
            value["as_expr"]["expr_str"] = code
        for size in graph["tensor_values"]["x"]["sizes"]:
            if "as_expr" in size:
                size["as_expr"]["expr_str"] = code
        document["guards_code"] = [code]
        for node in graph["nodes"]:
            stack = node["metadata"]["nn_module_stack"]
            node["metadata"]["nn_module_stack"] = stack.replace("Block", code)

    found = from_exported(_rewritten(program, tmp_path / "text.pt2", _with_program(planted)))
    require_same_results(found.graph, found.module, found.inputs, [found.mode])
    assert not canary.exists()


class Beside(nn.Module):
    beside: Tensor

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("beside", torch.ones(3), persistent=False)

    def forward(self, x: Tensor) -> Tensor:
        return x + self.beside


@pytest.mark.fault("S08")
def test_that_a_name_does_not_get_out_of_its_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    sizes = {"x": {0: torch.export.Dim("batch")}}
    program = torch.export.export(Beside(), (torch.randn(2, 3),), dynamic_shapes=sizes)
    torch.export.save(program, tmp_path / "name.pt2")
    name = json.dumps('x"""\n    open("canary", "w")\n    """')

    def renamed(file: str, content: bytes) -> bytes:
        return content.replace(b'"beside"', name.encode()) if file.endswith(".json") else content

    found = from_exported(_rewritten(tmp_path / "name.pt2", tmp_path / "evil.pt2", renamed))
    require_same_results(found.graph, found.module, found.inputs, [found.mode])
    assert found.graph.code
    assert not (tmp_path / "canary").exists()


class Fixed(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x + torch.arange(x.shape[0]).view(-1, 1)


def test_that_a_batch_written_into_the_program_is_told(tmp_path: Path) -> None:
    program = torch.export.export(Fixed(), (torch.randn(2, 3),))
    torch.export.save(program, tmp_path / "fixed.pt2")
    assert _refused(tmp_path / "fixed.pt2") == "I034"
