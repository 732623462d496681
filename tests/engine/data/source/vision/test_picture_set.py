"""Sets of torchvision that are files of pictures: downloaded safely, with torchvision's parts."""

import csv
import io
import json
import re

import numpy as np
import pytest
import scipy.io
from PIL import Image

from engine.data.fetch.fetch import fetch
from engine.data.fetch.progress import untold
from engine.data.source.registry import forget_sources, load_source
from engine.data.source.source import PARTS
from engine.data.source.vision import download
from engine.data.source.vision.download import download_set
from engine.data.source.vision.picture_set import PICTURE_SETS
from engine.diagnostics import DiagnosticError
from engine.runs.record.state import RunStatus
from engine.spec.run import Choice, DataSpec, SplitSpec
from tests import vision_files as made
from tests.tiny_run import CROSS_ENTROPY, chain, make_run, node, train

datasets = pytest.importorskip("torchvision.datasets")

COUNT = 6  # pictures of a part


def source_of(name, root, **params):
    forget_sources()
    return load_source(Choice(type=name, params={"path": str(root), "size": (8, 8), **params}))


def _matrix(**arrays):
    room = io.BytesIO()
    scipy.io.savemat(room, arrays)
    return room.getvalue()


def _flowers(server, monkeypatch):
    cls = datasets.Flowers102
    count = 3 * COUNT
    images = {f"jpg/image_{number:05d}.jpg": made.jpeg(number) for number in range(1, count + 1)}
    ids = np.arange(1, count + 1).reshape(3, COUNT)
    files = {
        "102flowers.tgz": made.tar_gz(images),
        "imagelabels.mat": _matrix(labels=np.arange(count) % 2 + 1),
        "setid.mat": _matrix(trnid=ids[0], valid=ids[1], tstid=ids[2]),
    }
    for name, content in files.items():
        server.put(name, content)
    listed = {key: (name, made.md5(files[name])) for key, (name, _) in cls._file_dict.items()}
    monkeypatch.setattr(cls, "_file_dict", listed)
    monkeypatch.setattr(cls, "_download_url_prefix", server.url)
    return {"train": COUNT, "validation": COUNT, "test": COUNT}


def _textures(server, monkeypatch):
    files = {}
    for at, part in enumerate(("train", "val", "test")):
        names = [f"{'dots' if n % 2 else 'lines'}/{part}_{n}.jpg" for n in range(COUNT)]
        files |= {f"dtd/images/{name}": made.jpeg(at * COUNT + n) for n, name in enumerate(names)}
        files[f"dtd/labels/{part}1.txt"] = "\n".join(names).encode()
    url, digest = server.put("dtd.tar.gz", made.tar_gz(files))
    monkeypatch.setattr(datasets.DTD, "_URL", url)
    monkeypatch.setattr(datasets.DTD, "_MD5", digest)
    return {"train": COUNT, "validation": COUNT, "test": COUNT}


def _food(server, monkeypatch):
    files, lists = {}, {}
    for at, part in enumerate(("train", "test")):
        lists = {"soup": [], "cake": []}
        for number in range(COUNT):
            name = f"{'soup' if number % 2 else 'cake'}/{at}{number}"
            lists[name.partition("/")[0]].append(name)
            files[f"food-101/images/{name}.jpg"] = made.jpeg(number)
        files[f"food-101/meta/{part}.json"] = json.dumps(lists).encode()
    url, digest = server.put("food-101.tar.gz", made.tar_gz(files))
    monkeypatch.setattr(datasets.Food101, "_URL", url)
    monkeypatch.setattr(datasets.Food101, "_MD5", digest)
    return {"train": COUNT, "test": COUNT}


def _pets(server, monkeypatch):
    images, notes = {}, {}
    for at, part in enumerate(("trainval", "test")):
        lines = []
        for number in range(COUNT):
            name = f"{'Bengal' if number % 2 else 'great_pyrenees'}_{at}{number}"
            images[f"images/{name}.jpg"] = made.jpeg(number)
            lines.append(f"{name} {number % 2 + 1} {number % 2 + 1} 1")
        notes[f"annotations/{part}.txt"] = "\n".join(lines).encode()
    resources = [
        server.put("images.tar.gz", made.tar_gz(images)),
        server.put("annotations.tar.gz", made.tar_gz(notes)),
    ]
    monkeypatch.setattr(datasets.OxfordIIITPet, "_RESOURCES", resources)
    return {"train": COUNT, "test": COUNT}


def _addressed(server, monkeypatch, files):
    """Serve archives, and have a module with addresses in its code ask there for them."""
    digests = {name: server.put(name, content) for name, content in files.items()}

    def fetch_here(urls, file, md5, tell):
        assert md5
        name = urls[0].rpartition("/")[2]
        fetch((server.url + name,), file, digests[name][1], tell)

    monkeypatch.setattr(download, "fetch", fetch_here)


def _satellite(server, monkeypatch):
    files = {
        f"2750/{'River' if number % 2 else 'Forest'}/{number}.jpg": made.jpeg(number)
        for number in range(2 * COUNT)
    }
    _addressed(server, monkeypatch, {"EuroSAT.zip": made.zip_of(files)})
    return {None: 2 * COUNT}


def _signs(server, monkeypatch):
    def picture(seed):
        room = io.BytesIO()
        Image.fromarray(made.pictures(1, 9, 3, seed)[0]).save(room, "PPM")
        return room.getvalue()

    training = {
        f"GTSRB/Training/{number % 2:05d}/{number:05d}.ppm": picture(number)
        for number in range(COUNT)
    }
    test = {f"GTSRB/Final_Test/Images/{n:05d}.ppm": picture(n) for n in range(COUNT)}
    text = io.StringIO()
    rows = csv.writer(text, delimiter=";")
    rows.writerow(["Filename", "ClassId"])
    rows.writerows([f"{number:05d}.ppm", number % 2] for number in range(COUNT))
    files = {
        "GTSRB-Training_fixed.zip": made.zip_of(training),
        "GTSRB_Final_Test_Images.zip": made.zip_of(test),
        "GTSRB_Final_Test_GT.zip": made.zip_of({"GT-final_test.csv": text.getvalue().encode()}),
    }
    _addressed(server, monkeypatch, files)
    return {"train": COUNT, "test": COUNT}


def _countries(server, monkeypatch):
    files = {
        f"country211/{part}/{'CN' if number % 2 else 'AT'}/{number}.jpg": made.jpeg(number)
        for part in ("train", "valid", "test")
        for number in range(COUNT)
    }
    url, digest = server.put("country211.tgz", made.tar_gz(files))
    monkeypatch.setattr(datasets.Country211, "_URL", url)
    monkeypatch.setattr(datasets.Country211, "_MD5", digest)
    return {"train": COUNT, "validation": COUNT, "test": COUNT}


def _sentences(server, monkeypatch):
    files = {
        f"rendered-sst2/{part}/{'positive' if n % 2 else 'negative'}/{n}.png": made.jpeg(n)
        for part in ("train", "valid", "test")
        for n in range(COUNT)
    }
    url, digest = server.put("rendered-sst2.tgz", made.tar_gz(files))
    monkeypatch.setattr(datasets.RenderedSST2, "_URL", url)
    monkeypatch.setattr(datasets.RenderedSST2, "_MD5", digest)
    return {"train": COUNT, "validation": COUNT, "test": COUNT}


def _aircraft(server, monkeypatch):
    base = "fgvc-aircraft-2013b"
    files = {f"{base}/data/variants.txt": b"707-320\nA300B4\n"}
    for at, part in enumerate(("train", "val", "test")):
        names = [f"{at}{number:06d}" for number in range(COUNT)]
        files |= {f"{base}/data/images/{n}.jpg": made.jpeg(int(n)) for n in names}
        lines = [f"{n} {('707-320', 'A300B4')[at2 % 2]}" for at2, n in enumerate(names)]
        files[f"{base}/data/images_variant_{part}.txt"] = "\n".join(lines).encode()
    url, _ = server.put(f"{base}.tar.gz", made.tar_gz(files))
    monkeypatch.setattr(datasets.FGVCAircraft, "_URL", url)
    return {"train": COUNT, "validation": COUNT, "test": COUNT}


def _imagenette(server, monkeypatch):
    files = {
        f"imagenette2-160/{part}/{'n01440764' if n % 2 else 'n02102040'}/{n}.JPEG": made.jpeg(n)
        for part in ("train", "val")
        for n in range(COUNT)
    }
    address = server.put("imagenette2-160.tgz", made.tar_gz(files))
    monkeypatch.setattr(datasets.Imagenette, "_ARCHIVES", {"160px": address})
    return {"train": COUNT, "validation": COUNT}


def _places(server, monkeypatch):
    files = {"SUN397/ClassName.txt": b"/a/abbey\n/z/zoo\n"}
    for n in range(2 * COUNT):
        files[f"SUN397/{'a/abbey' if n % 2 else 'z/zoo'}/sun_{n}.jpg"] = made.jpeg(n)
    url, digest = server.put("SUN397.tar.gz", made.tar_gz(files))
    monkeypatch.setattr(datasets.SUN397, "_DATASET_URL", url)
    monkeypatch.setattr(datasets.SUN397, "_DATASET_MD5", digest)
    return {None: 2 * COUNT}


PUBLISH = {
    "Country211": _countries,
    "DTD": _textures,
    "EuroSAT": _satellite,
    "FGVCAircraft": _aircraft,
    "Flowers102": _flowers,
    "Food101": _food,
    "GTSRB": _signs,
    "Imagenette": _imagenette,
    "OxfordIIITPet": _pets,
    "RenderedSST2": _sentences,
    "SUN397": _places,
}


@pytest.mark.row("S130")
@pytest.mark.parametrize("name", sorted(PICTURE_SETS))
def test_that_a_set_is_downloaded_and_has_the_parts_of_torchvision(
    name, server, monkeypatch, tmp_path
):
    counts = PUBLISH[name](server, monkeypatch)
    root, variant = tmp_path / "root", "160px" if name == "Imagenette" else ""
    chosen = {"variant": variant} if variant else {}
    root.mkdir()
    with pytest.raises(DiagnosticError) as missing:
        source_of(name, root, **chosen)
    assert missing.value.problems[0].code == "D245"
    told = []
    download_set(name, root, variant, lambda *state: told.append(state))
    assert {stage for stage, *_ in told} == {"download", "unpack"}
    source = source_of(name, root, **chosen)
    parts = source.given_parts()
    found = (
        {None: source.samples}
        if parts is None
        else {part: int((parts == at).sum()) for at, part in enumerate(PARTS)}
    )
    assert {part: count for part, count in found.items() if count} == counts
    labels = source.column("label")
    assert sorted(set(labels.tolist())) == [0, 1]
    values = source.read(range(source.samples))
    assert values["image"].shape == (source.samples, 3, 8, 8)
    assert not list(root.rglob("*.part"))


def test_that_the_classes_and_labels_are_those_of_torchvision(server, monkeypatch, tmp_path):
    _pets(server, monkeypatch)
    download_set("OxfordIIITPet", tmp_path, "", untold)
    source = source_of("OxfordIIITPet", tmp_path)
    theirs = datasets.OxfordIIITPet(str(tmp_path), split="test")
    assert list(source.infos[1].classes) == theirs.classes
    rows = (source.given_parts() == PARTS.index("test")).nonzero().flatten().tolist()
    assert source.column("label")[rows].tolist() == [theirs[at][1] for at in range(len(theirs))]


@pytest.mark.row("P13")
def test_that_downloaded_pictures_train_on_their_own_parts(server, monkeypatch, tmp_path):
    _flowers(server, monkeypatch)
    download_set("Flowers102", tmp_path / "root", "", untold)
    spec = DataSpec(
        source=Choice(type="Flowers102", params={"path": str(tmp_path / "root"), "size": (8, 8)}),
        split=SplitSpec(kind="given"),
        batch_size=3,
    )
    graph = chain(
        node("Input", "image", field="image", shape=(3, 8, 8)),
        node("Flatten", "flat"),
        node("Linear", "head", out_features=102),
        node("Output", "logits"),
    )
    state = train(make_run(tmp_path / "project", graph, data=spec, losses=(CROSS_ENTROPY,)))
    assert state.status is RunStatus.FINISHED


def test_that_torchvisions_own_functions_are_put_back(server, monkeypatch, tmp_path):
    _textures(server, monkeypatch)
    server.files.clear()
    with pytest.raises(DiagnosticError) as gone:
        download_set("DTD", tmp_path, "", untold)
    assert gone.value.problems[0].code == "D247"
    assert datasets.dtd.download_and_extract_archive is datasets.utils.download_and_extract_archive


def test_that_a_hostile_archive_writes_nothing_outside(server, monkeypatch, tmp_path):
    url, digest = server.put("dtd.tar.gz", made.tar_gz({"../../escaped": b"x"}))
    monkeypatch.setattr(datasets.DTD, "_URL", url)
    monkeypatch.setattr(datasets.DTD, "_MD5", digest)
    with pytest.raises(DiagnosticError) as refused:
        download_set("DTD", tmp_path / "root", "", untold)
    assert refused.value.problems[0].code == "D250"
    assert not (tmp_path / "escaped").exists()


@pytest.mark.parametrize(
    ("file", "content"),
    [
        ("train.json", b'{"soup": ["../../../secret"]}'),
        ("train.json", b"{"),
        ("train.json", b'{"soup": 7}'),
        ("train.json", b"[]"),
        ("train.json", b"\xff\xfe"),
        ("train.json", b'{"soup": []}'),
    ],
)
def test_that_hostile_lists_cost_a_sentence(file, content, server, monkeypatch, tmp_path):
    _food(server, monkeypatch)
    download_set("Food101", tmp_path, "", untold)
    (tmp_path / "food-101" / "meta" / file).write_bytes(content)
    with pytest.raises(DiagnosticError) as refused:
        source_of("Food101", tmp_path)
    assert refused.value.problems[0].code == "D254"


def test_that_every_set_of_torchvision_is_offered_or_left_out_with_a_reason():
    from engine.catalog.registry import catalog
    from engine.catalog.spec import EntryGroup

    offered = {e.key for e in catalog().group(EntryGroup.DATA) if e.category == "torchvision"}
    left_out = {
        name.removeprefix("datasets.")
        for name in catalog().not_offered()
        if name.startswith("datasets.")
    }
    assert {*datasets.__all__} == offered | left_out
    assert not offered & left_out
    for entry in catalog().group(EntryGroup.DATA):
        if entry.category == "torchvision":
            assert re.search(r"\d", entry.summary), entry.key
            assert re.search(r"\d (MB|GB)", entry.summary), entry.key
