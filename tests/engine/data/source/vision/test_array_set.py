"""Sets of torchvision that are arrays: downloaded, checked, read as torchvision reads them."""

import pickle

import h5py
import numpy as np
import pytest
import scipy.io
import torch
from PIL import Image

from engine.data.fetch.progress import untold
from engine.data.load.load import load_data
from engine.data.source.registry import forget_sources, load_source
from engine.data.source.source import PARTS
from engine.data.source.vision.array_set import ARRAY_SETS
from engine.data.source.vision.batch_file import read_batch
from engine.data.source.vision.by_hand import BY_HAND
from engine.data.source.vision.download import download_set
from engine.data.source.vision.loader import find_set
from engine.diagnostics import DiagnosticError
from engine.query.data import source_choice
from engine.query.data.proposal import propose_data
from engine.query.data.request import ProposeData
from engine.runs.record.state import RunStatus
from engine.spec.proposal import Answers, readers_after
from engine.spec.run import Choice, DataSpec, SplitSpec
from tests import vision_files as made
from tests.tiny_run import CROSS_ENTROPY, chain, make_run, node, train

datasets = pytest.importorskip("torchvision.datasets")

COUNT = {"train": 60, "test": 20}


def labels_of(part):
    return np.arange(COUNT[part]) % 10


def images_of(part, side=28, channels=0):
    return made.pictures(COUNT[part], side, channels, seed=len(part))


def _mnist(server, monkeypatch, cls=datasets.MNIST):
    resources = []
    for part, word in (("train", "train"), ("test", "t10k")):
        for kind, values in (
            ("images-idx3", images_of(part)),
            ("labels-idx1", labels_of(part).astype(np.uint8)),
        ):
            name = f"{word}-{kind}-ubyte.gz"
            resources.append((name, server.put(name, made.packed_idx(values))[1]))
    monkeypatch.setattr(cls, "mirrors", [server.url + "gone/", server.url])
    monkeypatch.setattr(cls, "resources", resources)


def _qmnist(server, monkeypatch):
    resources = {}
    for part, count in COUNT.items():
        rows = np.zeros((count, 8), np.int32)
        rows[:, 0] = labels_of(part)
        rows[:, 1:] = 77
        resources[part] = [
            server.put(f"qmnist-{part}-images-idx3-ubyte.gz", made.packed_idx(images_of(part))),
            server.put(f"qmnist-{part}-labels-idx2-int.gz", made.packed_idx(rows)),
        ]
    monkeypatch.setattr(datasets.QMNIST, "resources", resources)


def _emnist(server, monkeypatch):
    files = {}
    for part in COUNT:
        start = f"gzip/emnist-balanced-{part}"
        files[f"{start}-images-idx3-ubyte.gz"] = made.packed_idx(images_of(part))
        files[f"{start}-labels-idx1-ubyte.gz"] = made.packed_idx(labels_of(part).astype(np.uint8))
    url, digest = server.put("gzip.zip", made.zip_of(files))
    monkeypatch.setattr(datasets.EMNIST, "url", url)
    monkeypatch.setattr(datasets.EMNIST, "md5", digest)


def _cifar(server, monkeypatch, cls=datasets.CIFAR10, key="labels"):
    files = {}
    for part, entries in (("train", cls.train_list), ("test", cls.test_list)):
        images = images_of(part, 32, 3).transpose(0, 3, 1, 2).reshape(COUNT[part], -1)
        shares = np.array_split(np.arange(COUNT[part]), len(entries))
        for (name, _), rows in zip(entries, shares, strict=True):
            content = {
                "batch_label": name,
                "data": images[rows],
                key: labels_of(part)[rows].tolist(),
                "filenames": [f"picture{row}.png" for row in rows],
            }
            files[name] = made.python2_pickle(content)
    classes = int(cls.__name__.removeprefix("CIFAR"))
    names = [f"class {number}" for number in range(classes)]
    files[cls.meta["filename"]] = made.python2_pickle({cls.meta["key"]: names})
    for attribute in ("train_list", "test_list"):
        listed = [[name, made.md5(files[name])] for name, _ in getattr(cls, attribute)]
        monkeypatch.setattr(cls, attribute, listed)
    digest = made.md5(files[cls.meta["filename"]])
    monkeypatch.setattr(cls, "meta", {**cls.meta, "md5": digest})
    packed = made.tar_gz({f"{cls.base_folder}/{name}": data for name, data in files.items()})
    url, digest = server.put(cls.filename, packed)
    monkeypatch.setattr(cls, "url", url)
    monkeypatch.setattr(cls, "tgz_md5", digest)


def _svhn(server, monkeypatch, tmp_path):
    listed = {}
    for part in COUNT:
        labels = np.where(labels_of(part) == 0, 10, labels_of(part)).astype(np.uint8)
        file = tmp_path / f"{part}.mat"
        content = {"X": images_of(part, 32, 3).transpose(1, 2, 3, 0), "y": labels[:, None]}
        scipy.io.savemat(file, content, do_compression=True)
        name = f"{part}_32x32.mat"
        url, digest = server.put(name, file.read_bytes())
        listed[part] = [url, name, digest]
    monkeypatch.setattr(datasets.SVHN, "split_list", listed)


def _stl(server, monkeypatch):
    files = {"unlabeled_X.bin": b"", "class_names.txt": b"airplane\n", "fold_indices.txt": b""}
    for part in COUNT:
        stored = images_of(part, 96, 3).transpose(0, 3, 2, 1)
        files[f"{part}_X.bin"] = stored.tobytes()
        files[f"{part}_y.bin"] = (labels_of(part) + 1).astype(np.uint8).tobytes()
    for attribute in ("train_list", "test_list"):
        listed = [[name, made.md5(files[name])] for name, _ in getattr(datasets.STL10, attribute)]
        monkeypatch.setattr(datasets.STL10, attribute, listed)
    packed = made.tar_gz({f"stl10_binary/{name}": data for name, data in files.items()})
    url, digest = server.put("stl10_binary.tar.gz", packed)
    monkeypatch.setattr(datasets.STL10, "url", url)
    monkeypatch.setattr(datasets.STL10, "tgz_md5", digest)


def _usps(server, monkeypatch):
    listed = {}
    for part, name in (("train", "usps.bz2"), ("test", "usps.t.bz2")):
        lines = made.usps_lines(images_of(part, 16), (labels_of(part) + 1).tolist())
        url, digest = server.put(name, lines)
        listed[part] = [url, name, digest]
    monkeypatch.setattr(datasets.USPS, "split_list", listed)


def _semeion(server, monkeypatch):
    images = images_of("train", 16) > 127
    rows = [
        " ".join(f"{pixel:.4f}" for pixel in image.flatten())
        + " "
        + " ".join(str(int(number == label)) for number in range(10))
        for image, label in zip(images, labels_of("train"), strict=True)
    ]
    url, digest = server.put("semeion.data", "\n".join(rows).encode())
    monkeypatch.setattr(datasets.SEMEION, "url", url)
    monkeypatch.setattr(datasets.SEMEION, "md5_checksum", digest)


def publish(name, server, monkeypatch, tmp_path):
    """Serve a small set of that name, and put its address into torchvision's own lists."""
    cls = getattr(datasets, name)
    match name:
        case "MNIST" | "FashionMNIST" | "KMNIST":
            _mnist(server, monkeypatch, cls)
        case "QMNIST":
            _qmnist(server, monkeypatch)
        case "EMNIST":
            _emnist(server, monkeypatch)
        case "CIFAR10":
            _cifar(server, monkeypatch)
        case "CIFAR100":
            _cifar(server, monkeypatch, cls, "fine_labels")
        case "SVHN":
            _svhn(server, monkeypatch, tmp_path)
        case "STL10":
            _stl(server, monkeypatch)
        case "USPS":
            _usps(server, monkeypatch)
        case _:
            _semeion(server, monkeypatch)


def fetch(name, server, monkeypatch, root):
    """Download a small set of that name."""
    publish(name, server, monkeypatch, root)
    download_set(name, root, "", untold)


def chosen(name, root):
    return Choice(type=name, params={"path": str(root)})


def source_of(name, root):
    forget_sources()
    params = {"path": str(root)} | ({"variant": "balanced"} if name == "EMNIST" else {})
    return load_source(Choice(type=name, params=params))


def torchvisions(name, root, part):
    """Return pictures and classes of a part by torchvision's own class."""
    cls = getattr(datasets, name)
    match name:
        case "SVHN" | "STL10":
            found = cls(str(root), split=part)
        case "SEMEION":
            found = cls(str(root), download=False)
        case "EMNIST":
            found = cls(str(root), "balanced", train=part == "train", download=True)
        case _:
            found = cls(str(root), train=part == "train")
    items = [found[at] for at in range(len(found))]
    return [np.asarray(image) for image, _ in items], [label for _, label in items]


@pytest.mark.row("S129")
@pytest.mark.row("S130")
@pytest.mark.parametrize("name", sorted(ARRAY_SETS.keys() - BY_HAND.keys()))
def test_that_a_set_is_downloaded_and_read_as_torchvision_reads_it(
    name, server, monkeypatch, tmp_path
):
    publish(name, server, monkeypatch, tmp_path)
    root = tmp_path / "root"
    with pytest.raises(DiagnosticError, match=name) as missing:
        source_of(name, root)
    assert missing.value.problems[0].code == "D245"
    told = []
    download_set(name, root, "balanced", lambda *state: told.append(state))
    assert {stage for stage, *_ in told} <= {"download", "unpack"}
    assert any(done == total > 0 for stage, _, done, total in told if stage == "download")
    source = source_of(name, root)
    parts = source.given_parts()
    for part in COUNT if name != "SEMEION" else ("train",):
        rows = (
            range(source.samples)
            if parts is None
            else (parts == PARTS.index(part)).nonzero().flatten().tolist()
        )
        images, labels = torchvisions(name, root, part)
        assert len(rows) == len(labels) > 0
        read = source.read(rows)
        assert read["label"].tolist() == labels
        expected = np.stack(images).astype(np.float32) / 255
        expected = expected[:, None] if expected.ndim == 3 else expected.transpose(0, 3, 1, 2)
        assert torch.equal(read["image"], torch.from_numpy(expected.copy()))
    assert not [path for path in root.rglob("*") if path.name.endswith((".part", ".unpacking"))]


def test_that_what_is_there_is_not_downloaded_again(server, monkeypatch, tmp_path):
    publish("CIFAR10", server, monkeypatch, tmp_path)
    download_set("CIFAR10", tmp_path / "root", "", untold)
    asked = len(server.asked)
    download_set("CIFAR10", tmp_path / "root", "", untold)
    assert len(server.asked) == asked


@pytest.mark.parametrize("folder", ["MNIST/raw", "raw", ""])
@pytest.mark.parametrize("is_packed", [True, False])
def test_that_a_copy_of_the_files_is_found_wherever_its_folder_is_chosen(
    folder, is_packed, tmp_path
):
    place = tmp_path / folder
    place.mkdir(parents=True, exist_ok=True)
    for part, word in (("train", "train"), ("test", "t10k")):
        for kind, values in (("images-idx3", images_of(part)), ("labels-idx1", labels_of(part))):
            name = f"{word}-{kind}-ubyte{'.gz' if is_packed else ''}"
            write = made.packed_idx if is_packed else made.idx
            (place / name).write_bytes(write(values.astype(np.uint8)))
    assert source_of("MNIST", tmp_path).samples == sum(COUNT.values())


def test_that_sets_are_proposed_from_their_root_and_from_their_own_folders(
    server, monkeypatch, tmp_path
):
    fetch("MNIST", server, monkeypatch, tmp_path)
    assert source_choice.source_of(tmp_path / "MNIST") == chosen("MNIST", tmp_path)
    fetch("CIFAR10", server, monkeypatch, tmp_path)
    with pytest.raises(DiagnosticError) as caught:
        source_choice.source_of(tmp_path)
    problem = caught.value.problems[0]
    assert (problem.code, problem.params["names"]) == ("D619", "MNIST, CIFAR10")
    for name in ("MNIST", "CIFAR10"):
        assert name in readers_after([problem], is_folder=True)
        assert source_choice.read_as(tmp_path, name) == chosen(name, tmp_path)
        proposal = propose_data(ProposeData(path=str(tmp_path), answers=Answers(source=name)))
        assert proposal.graph is not None
        assert name in proposal.sources
    own = (tmp_path / "cifar-10-batches-py").rename(tmp_path / "copied")
    assert source_choice.source_of(own) == chosen("CIFAR10", own)
    assert load_source(chosen("CIFAR10", own)).samples == sum(COUNT.values())


@pytest.mark.parametrize("protocol", [2, 4])
def test_that_names_of_classes_may_be_bytes(protocol, tmp_path):
    file = tmp_path / "batches.meta"
    file.write_bytes(pickle.dumps({b"label_names": [b"cat", b"dog"]}, protocol=protocol))
    assert read_batch(file)["label_names"] == ["cat", "dog"]


def test_that_a_folder_that_is_only_called_like_a_set_is_none(tmp_path):
    (tmp_path / "MNIST" / "raw").mkdir(parents=True)
    Image.new("L", (8, 8)).save(tmp_path / "MNIST" / "raw" / "a.png")
    assert source_choice.source_of(tmp_path / "MNIST").type == "image_folder"


@pytest.mark.row("P13")
def test_that_a_downloaded_set_trains_on_its_own_parts(server, monkeypatch, tmp_path):
    publish("FashionMNIST", server, monkeypatch, tmp_path)
    root = tmp_path / "root"
    download_set("FashionMNIST", root, "", untold)
    spec = DataSpec(
        source=Choice(type="FashionMNIST", params={"path": str(root)}),
        split=SplitSpec(kind="given", validation=0.2, train=0.8, test=0.0),
        batch_size=16,
    )
    data = load_data(spec)
    assert data.samples("test") == COUNT["test"]
    assert data.samples("train") + data.samples("validation") == COUNT["train"]
    graph = chain(
        node("Input", "image", field="image", shape=(1, 28, 28)),
        node("Flatten", "flat"),
        node("Linear", "head", out_features=10),
        node("Output", "logits"),
    )
    state = train(make_run(tmp_path / "project", graph, data=spec, losses=(CROSS_ENTROPY,)))
    assert state.status is RunStatus.FINISHED


class _Evil:
    def __reduce__(self):
        return (print, ("the code of a stranger ran",))


@pytest.mark.parametrize(
    "content",
    [
        pickle.dumps(_Evil(), 2),
        pickle.dumps({"data": _Evil(), "labels": [1]}, 2),
        pickle.dumps({"data": np.array([print], object), "labels": [1]}, 2),
        pickle.dumps([1, 2], 2),
        b"cos\nsystem\n(S'true'\ntR.",
        b"\x80\x02}(U\x04dataT\xff\xff\xff\x7f",
        b"",
        made.python2_pickle({"data": np.zeros((2, 5), np.uint8), "labels": [1, 2]}),
        made.python2_pickle({"data": np.zeros((2, 3072), np.uint8), "labels": [1, 2, 3]}),
        made.python2_pickle({"data": np.zeros((2, 3072), np.uint8), "labels": [1, -2]}),
        made.python2_pickle({"data": np.zeros((2, 3072), np.uint8), "labels": [1, 99]}),
        made.python2_pickle({"data": "text", "labels": [1, 2]}),
    ],
)
def test_that_a_hostile_batch_runs_nothing_and_costs_a_sentence(content, tmp_path, capfd):
    folder = tmp_path / "cifar-10-batches-py"
    folder.mkdir()
    good = made.python2_pickle({"data": np.zeros((2, 3072), np.uint8), "labels": [0, 1]})
    for name in ("test_batch", *(f"data_batch_{number}" for number in range(2, 6))):
        (folder / name).write_bytes(good)
    names = {"label_names": [str(number) for number in range(10)]}
    (folder / "batches.meta").write_bytes(made.python2_pickle(names))
    (folder / "data_batch_1").write_bytes(content)
    with pytest.raises(DiagnosticError) as refused:
        source_of("CIFAR10", tmp_path)
    assert refused.value.problems[0].code == "D254"
    assert "stranger" not in capfd.readouterr().out


@pytest.mark.parametrize("cut", [0, 60, 127, 140, 200, -5])
def test_that_a_damaged_matrix_file_is_told(cut, server, monkeypatch, tmp_path):
    publish("SVHN", server, monkeypatch, tmp_path)
    for part in COUNT:
        content = server.files[f"/{part}_32x32.mat"]
        (tmp_path / f"{part}_32x32.mat").write_bytes(content[:cut])
    with pytest.raises(DiagnosticError) as refused:
        source_of("SVHN", tmp_path)
    assert refused.value.problems[0].code == "D254"


def test_that_text_that_unpacks_without_end_is_refused(tmp_path, monkeypatch):
    from engine.data.source.vision import array_set

    monkeypatch.setattr(array_set, "_MOST_TEXT", 1000)
    for name in ("usps.bz2", "usps.t.bz2"):
        (tmp_path / name).write_bytes(made.bz2.compress(b"1 " * 10_000))
    with pytest.raises(DiagnosticError) as refused:
        source_of("USPS", tmp_path)
    assert refused.value.problems[0].code == "D254"


def test_that_no_folder_is_told():
    with pytest.raises(DiagnosticError) as refused:
        load_source(Choice(type="MNIST"))
    assert refused.value.problems[0].code == "D255"


FACES = np.arange(4 * 48 * 48).reshape(4, 48, 48) % 251
USAGES = ("Training", "PrivateTest", "PublicTest", "Training")


def _csv(head, order):
    rows = [head]
    for at, (face, usage) in enumerate(zip(FACES, USAGES, strict=True)):
        cells = {"emotion": str(at), "pixels": " ".join(map(str, face.flatten())), "Usage": usage}
        rows.append(",".join(cells[key] for key in order))
    return "\n".join(rows)


@pytest.mark.parametrize(
    ("file", "head", "order"),
    [
        ("fer2013.csv", "emotion,pixels,Usage", ("emotion", "pixels", "Usage")),
        ("icml_face_data.csv", "emotion, Usage, pixels", ("emotion", "Usage", "pixels")),
    ],
)
def test_that_expressions_are_read_from_the_file_that_the_user_fetched(file, head, order, tmp_path):
    for look in (
        lambda: source_of("FER2013", tmp_path),
        lambda: download_set("FER2013", tmp_path, "", untold),
    ):
        with pytest.raises(DiagnosticError) as missing:
            look()
        assert missing.value.problems[0].code == "D580"
    (tmp_path / "fer2013").mkdir()
    (tmp_path / "fer2013" / file).write_text(_csv(head, order))
    source = source_of("FER2013", tmp_path)
    parts = [PARTS[at] for at in source.given_parts().tolist()]
    assert parts == ["train", "train", "validation", "test"]
    assert source.column("label").tolist() == [0, 3, 2, 1]
    read = source.read(range(4))["image"]
    assert read.shape == (4, 1, 48, 48)
    wanted = torch.from_numpy(FACES[[0, 3, 2, 1]]).float()
    assert torch.equal((read[:, 0] * 255).round(), wanted)


def _patches(root):
    """Write a set as PCAM is laid out: its training pictures in packed chunks, the rest whole."""
    (root / "pcam").mkdir()
    written = {}
    for part, files in datasets.PCAM._FILES.items():
        images = made.pictures(9, 96, 3, seed=len(part))
        labels = (np.arange(9) % len(part) == 1).astype(np.uint8)
        chunks = {"chunks": (4, 96, 96, 3), "compression": "gzip"} if part == "train" else {}
        with h5py.File(root / "pcam" / files["images"][0], "w") as file:
            file.create_dataset("x", data=images, **chunks)
        with h5py.File(root / "pcam" / files["targets"][0], "w") as file:
            file["y"] = labels.reshape(-1, 1, 1, 1)
        written[part] = images, labels
    return written


@pytest.mark.parametrize("is_small", [True, False])
def test_that_tissue_is_read_from_its_files_as_torchvision_reads_it(
    is_small, monkeypatch, tmp_path
):
    for module in ("source.vision.array_set", "source.arrays"):
        monkeypatch.setattr(f"engine.data.{module}.is_small", lambda _: is_small)
    for look in (
        lambda: source_of("PCAM", tmp_path),
        lambda: download_set("PCAM", tmp_path, "", untold),
    ):
        with pytest.raises(DiagnosticError) as missing:
            look()
        assert missing.value.problems[0].code == "D580"
    _patches(tmp_path)
    assert find_set(tmp_path) == "PCAM"
    source = source_of("PCAM", tmp_path)
    assert source.infos[1].classes == ("normal", "tumor")
    parts = source.given_parts()
    for part, split in (("train", "train"), ("validation", "val"), ("test", "test")):
        theirs = datasets.PCAM(str(tmp_path), split=split)
        rows = (parts == PARTS.index(part)).nonzero().flatten().tolist()
        order = np.random.default_rng(0).permutation(len(rows)).tolist()
        read = source.read([rows[at] for at in order])
        assert len(rows) == len(theirs) > 0
        for image, label, at in zip(read["image"], read["label"], order, strict=True):
            pixels = torch.from_numpy(np.asarray(theirs[at][0]).transpose(2, 0, 1).copy())
            assert torch.equal((image * 255).round(), pixels)
            assert label == theirs[at][1]


def test_that_tissue_that_is_still_packed_or_lies_elsewhere_costs_a_sentence(tmp_path):
    _patches(tmp_path)
    images = tmp_path / "pcam" / datasets.PCAM._FILES["test"]["images"][0]
    moved = images.rename(tmp_path / "elsewhere.h5")
    with h5py.File(images, "w") as file:
        file["x"] = h5py.ExternalLink(str(moved), "x")
    with pytest.raises(DiagnosticError) as damaged:
        source_of("PCAM", tmp_path)
    assert damaged.value.problems[0].code == "D254"
    images.rename(images.with_name(f"{images.name}.gz"))
    with pytest.raises(DiagnosticError) as packed:
        source_of("PCAM", tmp_path)
    assert packed.value.problems[0].code == "D580"
    assert packed.value.problems[0].params["file"] == f"pcam/{images.name}"


@pytest.mark.parametrize("cell", ["256", "-1", "x", "1 " * 48])
def test_that_a_face_with_other_pixels_costs_a_sentence(cell, tmp_path):
    (tmp_path / "fer2013").mkdir()
    (tmp_path / "fer2013" / "train.csv").write_text(f"emotion,pixels\n0,{cell}\n")
    with pytest.raises(DiagnosticError) as damaged:
        source_of("FER2013", tmp_path)
    assert damaged.value.problems[0].code == "D254"
