"""LoRA on the command line: add, train, save, load, merge."""

import json

import pytest
from msgspec.structs import replace
from safetensors.torch import load_file

from engine.archive.weights import write_weights
from engine.graph.edit.lora import loras
from engine.model.module import to_module
from engine.project import Project


@pytest.fixture
def start(project):
    """Return a project that starts from a file of weights."""
    opened = Project.open(project)
    (project / "weights").mkdir()
    write_weights(to_module(opened.graph).state_dict(), project / "weights/base.safetensors")
    opened.spec = replace(opened.spec, weights="weights/base.safetensors", epochs=1)
    opened.claim()
    opened.save()
    opened.release()
    return project


def model(project):
    return Project.open(project).graph


@pytest.mark.real
def test_that_a_run_is_adapted_saved_merged_and_its_adapter_loaded(run, start, tmp_path):
    plain = model(start)
    done = run("lora", start, "add", "hidden", "--rank", "2", "--json")
    assert done.code == 0, done.err
    assert done.json() == {"blocks": ["hidden"], "trained": 2 * (4 + 16), "total": 131 + 40}
    adapted = Project.open(start)
    assert adapted.spec.renamed == {"hidden.base_layer": "hidden"}
    assert run("train", start, "--mode", "thread", "--quiet").code == 0
    file = tmp_path / "adapter.safetensors"
    saved = run("lora", start, "save", file, "--run", "latest")
    assert saved.out == f"{file}: 40 parameters of 1 LoRA block\n"
    assert set(load_file(file)) == {"hidden.lora_A.weight", "hidden.lora_B.weight"}
    done = run("lora", start, "load", file)
    assert done.code == 0, done.err
    assert Project.open(start).spec.weights == "weights/adapted.safetensors"
    merged = run("lora", start, "merge")
    assert merged.code == 0, merged.err
    assert merged.out.startswith("1 LoRA block merged into the layers: weights/merged.safetensors")
    assert "1 layer stays frozen: classifier." in merged.out
    assert run("lora", start, "unfreeze").out == "1 layer is trained again\n"
    assert model(start) == plain
    assert {key: node.type for key, node in model(start).nodes.items()} == {
        key: node.type for key, node in plain.nodes.items()
    }
    check = json.loads(run("check", start, "--json").out)
    assert check["ok"]
    assert Project.open(start).spec.weights == "weights/merged.safetensors"


def test_that_blocks_are_removed_without_a_run(run, start):
    assert run("lora", start, "add", "*", "--train-rest").code == 0
    assert set(loras(model(start))) == {"hidden", "classifier"}
    assert run("lora", start, "remove", "classifier").out == "removed: classifier\n"
    assert run("lora", start, "remove").out == "removed: hidden\n"
    assert not model(start).blocks
    assert not Project.open(start).spec.renamed


def test_that_other_layers_are_trained_again_beside_low_rank_blocks(run, start):
    assert run("lora", start, "add", "hidden").code == 0
    assert model(start).nodes["classifier"].frozen
    assert run("lora", start, "unfreeze").out == "1 layer is trained again\n"
    (lora,) = loras(model(start)).values()
    assert lora.base.frozen
    assert not model(start).nodes["classifier"].frozen


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("add",), 2, "names of layers"),
        (("add", "nothing.*"), 2, "no layer is called"),
        (("add", "relu"), 1, "LoRA needs a Linear"),
        (("add", "hidden", "--rank", "0"), 1, "from 1 to"),
        (("merge",), 1, "no LoRA blocks"),
        (("save",), 2, "one adapter file"),
        (("merge", "--run", "latest"), 2, "no runs"),
    ],
    ids=str,
)
def test_that_wrong_uses_are_told_and_nothing_is_changed(run, start, arguments, code, words):
    before = model(start)
    done = run("lora", start, *arguments)
    assert done.code == code
    assert words in done.err
    assert model(start) == before
