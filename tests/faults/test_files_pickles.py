"""Files of weights whose pickle is made to do harm without any code: PyTorch never looks at it.

Each attack was seen to take all memory, never to end, or to end the process, with
``torch.load(weights_only=True)``.
"""

import io
import pickle
import random
import struct
import zipfile
from collections import Counter, OrderedDict
from pathlib import Path

import pytest
import torch
from torch import nn

from engine.diagnostics import DiagnosticError
from engine.sandbox.inert import Pairs, PickleError, from_table, to_table
from engine.sandbox.pickled import read_pickle
from engine.train.checkpoint.file import load_tensors
from tests.unconfined import unconfine

START, END = b"\x80\x02", b"."


def word(text: str) -> bytes:
    return b"X" + struct.pack("<I", len(text.encode())) + text.encode()


def number(value: int) -> bytes:
    return pickle.dumps(value, 2)[2:-1]


def called(module: str, name: str, *arguments: bytes) -> bytes:
    return f"c{module}\n{name}\n".encode() + b"(" + b"".join(arguments) + b"tR"


def entry(value: bytes, key: bytes | None = None) -> bytes:
    """Return the pickle of a dictionary with one entry."""
    return START + b"}" + (key or word("w")) + value + b"s" + END


def encoded_over_and_over() -> bytes:
    text = called("_codecs", "encode", word("x" * 1000), word("utf-8"))
    for _ in range(40):
        text = b"c_codecs\nencode\n(" + text + word("hex") + b"tR"
    return entry(text)


def shared_over_and_over() -> bytes:
    lists = b"]q\x00"
    for level in range(1, 60):
        lists += b"]q" + bytes((level,)) + b"(" + b"h" + (bytes((level - 1,)) + b"h") * 9
        lists += bytes((level - 1,)) + b"e"
    return entry(b"(" + lists + b"t")


def shared_tuples() -> bytes:
    value = word("x") + b"q\x00"
    return entry(value + (b"q\x00" + b"h\x00" + b"\x86") * 60)


STORAGE = b"(" + word("storage") + b"ctorch\nQInt8Storage\n" + word("0") + word("cpu") + b"K\x01tQ"
HOOKS = b"ccollections\nOrderedDict\n)R"
HUGE_QUANTIZED = called(
    "torch._utils",
    "_rebuild_qtensor",
    *(STORAGE, b"K\x00", b"(" + number(10**13) + b"t", b"(K\x01t"),
    b"(ctorch\nper_tensor_affine\n" + b"G" + struct.pack(">d", 1.0) + b"K\x00t",
    *(b"\x89", HOOKS),
)
ATTACKS = {
    "bytes of any number": (entry(called("builtins", "bytearray", number(10**13))), "K005"),
    "a tensor of any size": (entry(called("torch", "FloatTensor", number(10**13))), "K005"),
    "a quantized tensor of any size": (entry(HUGE_QUANTIZED), "K004"),
    "a text encoded over and over": (encoded_over_and_over(), "K005"),
    "lists of lists of lists": (shared_over_and_over(), "K004"),
    "tuples of tuples of tuples": (shared_tuples(), "K004"),
    "a list that holds itself": (entry(b"]q\x00h\x00a"), "K004"),
    "a deep key": (entry(b"K\x01", b")" + b"\x85" * 200_000), "K004"),
    "a deep member of a set": (
        entry(called("builtins", "set", b"](" + b")" + b"\x85" * 200_000 + b"e")),
        "K004",
    ),
    "an attribute in the place of a method": (
        START + HOOKS + b"}" + word("items") + b"K\x05sb" + END,
        "K005",
    ),
    "numbers that collide": (
        START + b"}(" + b"".join(number(one * (2**61 - 1)) + b"N" for one in range(99)) + b"u.",
        "K005",
    ),
    "more than there is": (START + b"X\xff\xff\xff\x7fabc" + END, "K003"),
    "a memory of any number": (START + b"}r\xff\xff\xff\x7f" + END, ""),
    "an endless pickle": (START + b"N" * 20_000_000, "K004"),
}


def archive(file: Path, content: bytes, *more: str) -> Path:
    with zipfile.ZipFile(file, "w") as made:
        made.writestr("archive/data.pkl", content)
        made.writestr("archive/version", b"3\n")
        made.writestr("archive/data/0", bytes(8))
        for name in more:
            made.writestr(name, b"x")
    return file


def refusal(file: Path) -> str:
    with pytest.raises(DiagnosticError) as error:
        load_tensors(file)
    return error.value.problems[0].code


@pytest.mark.fault("B06")
@pytest.mark.parametrize("attack", ATTACKS)
def test_that_a_pickle_made_to_do_harm_is_refused(tmp_path, attack):
    content, code = ATTACKS[attack]
    file = archive(tmp_path / "w.pt", content)
    if code:
        assert refusal(file) == code
    else:
        assert load_tensors(file) == {}


@pytest.mark.fault("B06")
def test_that_an_archive_with_two_readings_is_refused(tmp_path):
    sound = entry(b"K\x01")
    assert load_tensors(archive(tmp_path / "sound.pt", sound)) == {"w": 1}
    assert refusal(archive(tmp_path / "case.pt", sound, "ARCHIVE/DATA.PKL")) == "K004"
    whole = (tmp_path / "sound.pt").read_bytes()
    (tmp_path / "before.pt").write_bytes(b"PK" + bytes(30) + whole)
    assert refusal(tmp_path / "before.pt") == "K004"
    (tmp_path / "after.pt").write_bytes(whole[:-2] + b"\x04\0" + b"tail")
    assert refusal(tmp_path / "after.pt") == "K004"


@pytest.mark.fault("B06")
def test_that_an_archive_with_megabytes_of_names_is_refused(tmp_path):
    torch.save({"a": torch.ones(2)}, tmp_path / "w.pt")
    assert load_tensors(tmp_path / "w.pt").keys() == {"a"}
    with zipfile.ZipFile(tmp_path / "w.pt", "a") as made:
        for number in range(300):
            made.writestr(f"w/{number}{'x' * 60_000}", b"")
    assert refusal(tmp_path / "w.pt") == "K004"


@pytest.mark.fault("B01")
def test_that_a_member_with_two_strokes_is_no_pickle(tmp_path):
    with zipfile.ZipFile(tmp_path / "w.pt", "w") as made:
        made.writestr("archive//data.pkl", b"\x80\x02}.")
    assert refusal(tmp_path / "w.pt") == "K003"


def saved() -> dict[str, object]:
    """Return one of everything that files of weights hold."""
    model = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4))
    optimizer = torch.optim.AdamW(model.parameters(), betas=(0.8, 0.9))
    model(torch.randn(5, 3)).sum().backward()
    optimizer.step()
    scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, 0.1, total_steps=9)
    shared = [1, 2]
    indices = torch.tensor([[0, 1], [1, 0]])
    return {
        "model": model.state_dict(),
        "optimizer": optimizer.state_dict(),
        "scheduler": scheduler.state_dict(),
        "views": [torch.arange(6.0).reshape(2, 3).T, torch.zeros(0), torch.tensor(1)],
        "kinds": [torch.ones(2, dtype=kind) for kind in (torch.bfloat16, torch.complex64)],
        "unusual": torch.ones(2, dtype=torch.uint16),
        "small": torch.ones(2).to(torch.float8_e4m3fn),
        "conjugate": torch.ones(2, dtype=torch.complex64).conj(),
        "sparse": torch.sparse_coo_tensor(indices, torch.ones(2), (2, 2), check_invariants=True),
        "quantized": torch.quantize_per_tensor(torch.ones(3), 0.1, 0, torch.qint8),
        "parameter": nn.Parameter(torch.ones(2)),
        "random": torch.get_rng_state(),
        "plain": {1: -1, (1, "a"): 2**70, None: 1.5, False: "ä", 2.5: (1, (2, [3]))},
        "bytes": [b"ab\xff", bytearray(b"cd"), {1, 2}, complex(1, 2)],
        "torch": [torch.float16, torch.device("cuda:0"), torch.Size([1, 2]), torch.strided],
        "counted": [Counter("abca"), OrderedDict(a=1, b=OrderedDict())],
        "shared": [shared, shared],
    }


@pytest.mark.filterwarnings("ignore:Validating sparse")
@pytest.mark.filterwarnings("ignore:.*quantiz")
@pytest.mark.filterwarnings("ignore:TypedStorage is deprecated")
def test_that_all_that_files_of_weights_hold_is_still_read(tmp_path):
    file = tmp_path / "w.pt"
    for name, value in saved().items():
        torch.save({name: value}, file)
        expected = torch.load(file, map_location="cpu", weights_only=True)
        assert str(load_tensors(file)) == str(expected), name


def test_that_no_pickle_of_plain_values_is_misread():
    value = {"a": [1, -(2**40), 2**200, None, True, 0.5, "ä", b"x" * 300, ()], "b": {}}
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        found = from_table(to_table(read_pickle(pickle.dumps(value, protocol))))
        assert isinstance(found, Pairs)
        listed = dict(found.items)["a"]
        if protocol > 2:  # before that bytes were made of a text
            assert listed == value["a"]
        else:
            assert listed[:7] == value["a"][:7]


@pytest.mark.parametrize("length", range(0, 120, 3))
def test_that_a_pickle_cut_anywhere_is_damaged(length):
    whole = pickle.dumps({"a": [1.5, "text", (1, 2, 3)], "b": torch.Size([3])}, 4)
    with pytest.raises(PickleError):
        read_pickle(whole[: min(length, len(whole) - 1)])


@pytest.mark.fault("B02")
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "count", [200, pytest.param(5000, marks=pytest.mark.nightly)], ids=["some", "many"]
)
def test_that_changed_pickles_are_read_or_refused_and_raise_nothing_else(
    tmp_path, monkeypatch, count
):
    unconfine(monkeypatch)
    stream = io.BytesIO()
    torch.save(saved(), stream)
    with zipfile.ZipFile(stream) as given:
        members = {name: given.read(name) for name in given.namelist()}
    (name,) = (name for name in members if name.endswith("data.pkl"))
    chance = random.Random(20261123)
    for _ in range(count):
        changed = bytearray(members[name])
        for _ in range(chance.randrange(1, 4)):
            changed[chance.randrange(len(changed))] = chance.randrange(256)
        file = tmp_path / "w.pt"
        with zipfile.ZipFile(file, "w") as made:
            for member, content in {**members, name: bytes(changed)}.items():
                made.writestr(member, content)
        try:
            assert isinstance(load_tensors(file), dict)
        except DiagnosticError:
            continue
