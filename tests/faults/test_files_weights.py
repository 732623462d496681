"""Files of weights that are cut, damaged, hostile or something else."""

import io
import os
import pickle
import random
import struct
import zipfile
from pathlib import Path

import pytest
import torch

from engine.archive.weights import KEY, PRODUCER, digest
from engine.diagnostics import DiagnosticError, sentence
from engine.export.load import contents, read_weights
from tests.unconfined import unconfine

SEED = 20261120


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """Return sound files of both kinds."""
    from safetensors.torch import save

    folder = tmp_path_factory.mktemp("sound")
    generator = torch.Generator().manual_seed(SEED)
    weights = {
        "fc.weight": torch.randn(64, 32, generator=generator),
        "fc.bias": torch.randn(64, generator=generator),
    }
    torch.save(weights, folder / "w.pt")
    metadata = {"format": "pt", "producer": PRODUCER}
    metadata[KEY] = digest(weights, metadata)
    return {
        "pt": (folder / "w.pt").read_bytes(),
        "safetensors": save(weights),
        "own safetensors": save(weights, metadata),
    }


def refusal(file: Path) -> str:
    """Return the code of the refusal, whose sentences are whole in both languages."""
    with pytest.raises(DiagnosticError) as error:
        contents(file)
    problem = error.value.problems[0]
    for language in ("en", "zh_CN"):
        text = sentence(problem, language)
        assert not text.startswith(problem.code)
        assert file.name in text
        assert "Traceback" not in text
    return problem.code


@pytest.mark.fault("B01")
@pytest.mark.parametrize("kind", ["pt", "safetensors"])
def test_that_a_file_cut_anywhere_is_refused(files, tmp_path, monkeypatch, kind):
    unconfine(monkeypatch)
    whole, chance = files[kind], random.Random(SEED)
    file = tmp_path / f"w.{kind}"
    for length in (0, 1, 4, 8, 9, *(chance.randrange(len(whole)) for _ in range(60))):
        file.write_bytes(whole[:length])
        refusal(file)


def damaged(whole: bytes, chance: random.Random) -> bytes:
    changed = bytearray(whole)
    bit = chance.randrange(len(changed) * 8)
    changed[bit // 8] ^= 1 << bit % 8
    return bytes(changed)


def flips_found(whole: bytes, file: Path, count: int) -> int:
    chance = random.Random(SEED)
    found = 0
    sound = None
    file.write_bytes(whole)
    sound = read_weights(file)[1]
    for _ in range(count):
        file.write_bytes(damaged(whole, chance))
        try:
            weights = read_weights(file)[1]
        except DiagnosticError:
            found += 1
        else:
            same = weights.keys() == sound.keys() and all(
                torch.equal(weights[name], sound[name]) for name in sound
            )
            found += same  # a bit that means nothing did no harm
    return found


@pytest.mark.fault("B02")
def test_that_a_flipped_bit_is_found(files, tmp_path, monkeypatch):
    unconfine(monkeypatch)
    assert flips_found(files["pt"], tmp_path / "w.pt", 120) >= 119


@pytest.mark.fault("B02")
def test_that_every_flipped_bit_in_our_own_safetensors_is_found(files, tmp_path):
    whole = files["own safetensors"]
    assert flips_found(whole, tmp_path / "w.safetensors", 150) == 150
    for bit in range(8 * 300):  # the header: sizes, names, places and the checksum itself
        changed = bytearray(whole)
        changed[bit // 8] ^= 1 << bit % 8
        (tmp_path / "w.safetensors").write_bytes(changed)
        with pytest.raises(DiagnosticError):
            read_weights(tmp_path / "w.safetensors")


@pytest.mark.nightly
@pytest.mark.fault("B02")
def test_that_of_a_thousand_flipped_bits_nearly_all_are_found(files, tmp_path, monkeypatch):
    unconfine(monkeypatch)
    assert flips_found(files["pt"], tmp_path / "w.pt", 1000) >= 990


class Bomb:
    """Makes a file when it is unpickled."""

    def __init__(self, canary: Path) -> None:
        self.canary = canary

    def __reduce__(self):
        return (os.system, (f"touch {self.canary}",))


@pytest.mark.fault("S01")
@pytest.mark.row("S230")
@pytest.mark.parametrize("kind", ["zip", "zip inside", "legacy", "raw pickle", "module"])
def test_that_code_in_a_file_never_runs(tmp_path, kind):
    canary, file = tmp_path / "canary", tmp_path / "evil.pt"
    bomb = Bomb(canary)
    match kind:
        case "zip":
            torch.save(bomb, file)
        case "zip inside":
            torch.save({"model": {"a": torch.zeros(1), "b": bomb}}, file)
        case "legacy":
            torch.save({"a": bomb}, file, _use_new_zipfile_serialization=False)
        case "raw pickle":
            file.write_bytes(pickle.dumps(bomb))
        case "module":
            torch.save(torch.nn.Linear(1, 1), file)
    code = refusal(file)
    assert code in ("K005", "X022")
    assert not canary.exists()
    with pytest.raises(DiagnosticError) as error:
        contents(file)
    assert "code" in sentence(error.value.problems[0]).lower()


@pytest.mark.fault("B06")
def test_that_a_file_that_unfolds_is_refused(tmp_path):
    file = tmp_path / "bomb.pt"
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("archive/data.pkl", b"\0" * (64 << 20))
    assert refusal(file) == "K004"
    torch.save({"w": torch.zeros(1).expand(10**12)}, file)
    assert refusal(file) == "K004"
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("archive/../../evil", b"x")
    assert refusal(file) == "K004"


@pytest.mark.fault("B04")
def test_that_other_things_are_told_for_what_they_are(tmp_path):
    html = tmp_path / "page.pt"
    html.write_text("<!doctype html><title>404</title>")
    assert refusal(html) == "X020"
    empty = tmp_path / "empty.pt"
    empty.touch()
    assert refusal(empty) == "X021"
    assert refusal(tmp_path) == "X020"
    assert refusal(tmp_path / "missing.pt") == "X025"
    plain = tmp_path / "plain.zip"
    with zipfile.ZipFile(plain, "w") as archive:
        archive.writestr("readme.txt", b"hello")
    assert refusal(plain) in ("K003", "K007")
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    assert refusal(pipe) == "X020"
    optimizer = tmp_path / "optimizer.pt"
    layer = torch.nn.Linear(1, 1)
    torch.save(torch.optim.Adam(layer.parameters()).state_dict(), optimizer)
    with pytest.raises(DiagnosticError) as error:
        read_weights(optimizer)
    assert error.value.problems[0].code == "X024"


@pytest.mark.fault("B06")
@pytest.mark.parametrize("length", [2**63, 200 << 20, 2**32, 100])
def test_that_a_forged_header_of_safetensors_is_refused(tmp_path, length):
    file = tmp_path / "w.safetensors"
    file.write_bytes(struct.pack("<Q", length) + b'{"a":1}')
    assert refusal(file) == "X023"


@pytest.mark.fault("B02")
def test_that_a_thousand_odd_headers_are_refused_or_read_and_raise_nothing_else(files, tmp_path):
    chance = random.Random(SEED)
    file = tmp_path / "w.safetensors"
    whole = files["safetensors"]
    for _ in range(200):
        changed = bytearray(whole)
        for _ in range(3):
            changed[chance.randrange(180)] = chance.randrange(256)
        file.write_bytes(bytes(changed))
        try:
            contents(file)
        except DiagnosticError:
            continue
    assert io.BytesIO(whole).read(8)
