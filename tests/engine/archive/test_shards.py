"""Checkpoints in parts that come from anybody: refused with a word, and nothing else is read."""

import errno
import io
import itertools
import os
import pickle
import shutil
import tracemalloc
import zipfile
from pathlib import Path

import pytest
import torch
from torch.distributed.checkpoint.metadata import Metadata, MetadataIndex
from torch.distributed.checkpoint.state_dict_saver import save

from engine.archive import shards
from engine.diagnostics import DiagnosticError
from engine.files import sha256

pytestmark = pytest.mark.filterwarnings("ignore:torch.distributed is disabled:UserWarning")
PLACES = [("model", "weight"), ("model", "bias")]


class Parts:
    """A checkpoint of a small model: the file's place and content, and the folder beside it."""

    def __init__(self, home):
        self.path, self.folder = home / "a.ckpt", home / "a.shards"
        self.tensors = {"weight": torch.arange(6.0).reshape(2, 3), "bias": torch.ones(3)}
        dealt = {f"model.{name}": value for name, value in self.tensors.items()}
        save(dealt, storage_writer=shards.PartWriter(self.folder), no_dist=True)
        self.content = shards.read_back(self.folder, {"model": dict(self.tensors)}, PLACES)

    @property
    def told(self):
        return self.content["shards"]

    @property
    def metadata(self):
        return self.folder / ".metadata"

    @property
    def part(self):
        return next(self.folder.glob("*.distcp"))

    def describe(self, change):
        """Change what the folder says of its tensors, and vouch for it."""
        described = pickle.loads(self.metadata.read_bytes())
        change(described)
        self.metadata.write_bytes(pickle.dumps(described))
        self.vouch()

    def vouch(self):
        own = {part.name: sha256(part) for part in self.folder.iterdir()}
        self.told["files"] = self.told["files"] | own

    def refusal(self):
        with pytest.raises(DiagnosticError) as caught:
            shards.joined(self.path, self.content)
        return caught.value.problems[0].code


@pytest.fixture
def parts(tmp_path):
    return Parts(tmp_path)


def of_weight(**changes):
    def change(described):
        item = described.state_dict_metadata["model.weight"]
        described.state_dict_metadata["model.weight"] = item.__class__(**{**vars(item), **changes})

    return change


def test_that_the_parts_of_a_checkpoint_are_joined(parts):
    found = shards.joined(parts.path, parts.content)["model"]
    assert found.keys() == parts.tensors.keys()
    assert all(torch.equal(found[name], value) for name, value in parts.tensors.items())


@pytest.mark.fault("B03")
@pytest.mark.parametrize(
    "told",
    [{"folder": ""}, {"folder": "/"}, {"places": [[]]}, {"places": [["weight"]]}, {"places": 5}],
)
def test_that_a_checkpoint_that_tells_nonsense_of_its_parts_is_refused(parts, told):
    parts.told.update(told)
    assert parts.refusal() in {"K003", "K007"}


@pytest.mark.fault("B03")
@pytest.mark.parametrize(
    ("change", "code"),
    [
        (lambda described: setattr(described, "state_dict_metadata", None), "K003"),
        (lambda described: setattr(described, "storage_data", None), "K003"),
        (of_weight(size="abc"), "K003"),
        (of_weight(size=torch.Size([-1, 3])), "K003"),
        (of_weight(size=torch.Size([10**12])), "K004"),
        (of_weight(properties=None), "K003"),
    ],
)
def test_that_parts_that_say_nonsense_of_their_tensors_are_refused(parts, change, code):
    parts.describe(change)
    assert parts.refusal() == code


@pytest.mark.fault("B01")
def test_that_a_description_that_is_cut_off_is_refused(parts):
    whole = parts.metadata.read_bytes()
    for length in range(0, len(whole) - 1, 17):
        parts.metadata.write_bytes(whole[:length])
        parts.vouch()
        assert parts.refusal() in {"K003", "K005"}


@pytest.mark.fault("S05")
@pytest.mark.parametrize("is_vouched", [True, False])
@pytest.mark.parametrize("is_absolute", [True, False])
def test_that_no_part_is_read_from_another_folder(parts, tmp_path, is_vouched, is_absolute):
    mine = tmp_path / "mine"
    shutil.copy(parts.part, mine)
    name = str(mine) if is_absolute else "../mine"

    def move(described):
        stored = described.storage_data
        described.storage_data = {
            key: piece.__class__(name, piece.offset, piece.length) for key, piece in stored.items()
        }

    if is_vouched:
        parts.told["files"][name] = sha256(mine)
        shutil.copy(mine, parts.folder / "mine")
    parts.describe(move)
    assert parts.refusal() == "K016"


@pytest.mark.fault("B06")
def test_that_parts_that_unfold_are_refused(parts):
    stream = io.BytesIO()
    torch.save(torch.zeros(1 << 20), stream)
    packed = io.BytesIO()
    with (
        zipfile.ZipFile(stream) as given,
        zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as target,
    ):
        for name in given.namelist():
            target.writestr(name, given.read(name))
    size = len(packed.getvalue())
    parts.part.write_bytes(packed.getvalue())

    def unfold(described):
        described.storage_data = {
            key: piece.__class__(piece.relative_path, 0, size)
            for key, piece in described.storage_data.items()
        }

    parts.describe(unfold)
    assert parts.refusal() == "K004"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")
def test_that_a_pipe_among_the_parts_is_not_waited_for(parts):
    parts.metadata.unlink()
    os.mkfifo(parts.metadata)
    parts.told["files"].pop(".metadata")
    assert parts.refusal() == "K003"


@pytest.mark.fault("S01")
def test_that_what_parts_say_of_themselves_changes_no_class(parts):
    named = b"ctorch.distributed.checkpoint.metadata\nMetadata\n"
    parts.metadata.write_bytes(b"\x80\x02" + named + b"N}X\x04\0\0\0evilK\x01s\x86b.")
    parts.vouch()
    assert parts.refusal() == "K005"
    assert not hasattr(Metadata, "evil")


@pytest.mark.fault("B06")
def test_that_what_parts_say_of_themselves_takes_no_memory_for_numbers_it_names(parts):
    parts.metadata.write_bytes(b"\x80\x02}r\0\0\0\x08.")  # remembered under number 2**27
    parts.vouch()
    tracemalloc.start()
    try:
        assert parts.refusal() == "K003"
        assert tracemalloc.get_traced_memory()[1] < 256 << 20
    finally:
        tracemalloc.stop()


@pytest.mark.fault("B06")
def test_that_what_parts_say_of_themselves_is_not_hashed(parts):
    deep = b")" + b"\x85" * 200_000
    for harmful in (b"\x8f(" + deep + b"\x90", b"}" + deep + b"Ns"):  # in a set, as a key
        parts.metadata.write_bytes(b"\x80\x04" + harmful + b".")
        parts.vouch()
        assert parts.refusal() in {"K004", "K005"}


@pytest.mark.fault("B06")
def test_that_parts_that_name_a_piece_over_and_over_are_refused(parts):
    def repeat(described):
        stored = described.storage_data
        key, piece = next(iter(stored.items()))
        for number in range(50):
            stored[key.__class__(f"more{number}", key.offset)] = piece

    parts.describe(repeat)
    assert parts.refusal() == "K004"


@pytest.mark.fault("B06")
def test_that_pieces_are_not_compared_with_one_another(parts, monkeypatch):
    """Offsets are chosen so that all have one hash: each would be compared with each."""
    offsets = [torch.Size(one) for one in itertools.islice(colliding(), 200)]
    assert len(set(map(hash, offsets))) == 1

    def crowd(described):
        piece = next(iter(described.storage_data.values()))
        crowded = {MetadataIndex("model.weight", one): piece for one in offsets}
        described.storage_data |= crowded

    parts.describe(crowd)
    compared = []
    monkeypatch.setattr(MetadataIndex, "__eq__", lambda *pair: bool(compared.append(pair)))
    assert parts.refusal() == "K004"
    assert len(compared) < len(offsets)


def colliding():
    """Yield offsets with one hash: of each first number the second that makes up for it, by the
    constants of the hash of tuples (xxHash).
    """
    first, second, fifth = 11400714785074694791, 14029467366897019727, 2870177450012600261
    word = 1 << 64
    for start in itertools.count():
        mixed = (fifth + start * second) % word
        mixed = ((mixed << 31 | mixed >> 33) % word) * first % word
        rest = (12345 - mixed) * pow(second, -1, word) % word
        if rest < 2**61 - 1:
            yield start, rest


@pytest.mark.skipif(os.name != "posix", reason="holes in files")
def test_that_a_part_larger_than_the_memory_is_not_looked_through(parts):
    os.truncate(parts.part, 1 << 42)
    assert parts.refusal() == "P035"


def test_that_what_a_file_shares_stays_shared(parts):
    """Copies of what is shared over and over would not fit into memory."""
    shared = {"a": 1}
    parts.content["optimizer"] = {"x": shared, "y": shared}
    before = dict(parts.content["model"])
    found = shards.joined(parts.path, parts.content)
    assert found["optimizer"]["x"] is found["optimizer"]["y"]
    assert parts.content["model"] == before


def told(*outcomes):
    """Return what gives what other processes tell, after what this one does."""
    return lambda own, _: [own, *outcomes]


WRITTEN = shards.Outcome(is_written=True)


@pytest.mark.parametrize(
    ("outcome", "code"),
    [
        (shards.Outcome(is_written=False, number=errno.ENOSPC, text="No space"), "P002"),
        (shards.Outcome(is_written=False, text="other"), "K009"),
    ],
)
def test_that_a_part_that_another_process_could_not_write_is_told(tmp_path, outcome, code):
    folder = tmp_path / "a.shards"
    with pytest.raises(DiagnosticError) as caught:
        shards.write_shard(folder, {"weight": torch.ones(2)}, 0, told(outcome))
    assert caught.value.problems[0].code == code
    assert not folder.exists()


def test_that_a_part_that_cannot_be_written_here_is_told_to_the_others(tmp_path):
    (tmp_path / "a.shards").write_text("in the way")
    given = []
    with pytest.raises(DiagnosticError):
        shards.write_shard(
            tmp_path / "a.shards", {}, 1, lambda own, _: given.append(own) or [WRITTEN, own]
        )
    assert [outcome.is_written for outcome in given] == [False]


def test_that_a_part_of_another_machine_is_missed(tmp_path):
    with pytest.raises(DiagnosticError) as caught:
        shards.write_shard(tmp_path / "a.shards", {"weight": torch.ones(2)}, 0, told(WRITTEN))
    assert caught.value.problems[0].code == "K017"


def test_that_what_another_process_says_of_its_part_runs_no_code(tmp_path):
    class Hostile:
        def __reduce__(self):
            return (Path.touch, (tmp_path / "ran",))

    folder = tmp_path / "a.shards"
    folder.mkdir()
    (folder / "__1.metadata").write_bytes(pickle.dumps(Hostile()))
    with pytest.raises(DiagnosticError) as caught:
        shards.write_shard(folder, {"weight": torch.ones(2)}, 0, told(WRITTEN))
    assert caught.value.problems[0].code == "K005"
    assert not (tmp_path / "ran").exists()
