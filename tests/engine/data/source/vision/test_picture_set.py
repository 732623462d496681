"""Sets of torchvision that are files of pictures: downloaded safely, with torchvision's parts."""

import re
from pathlib import Path

import pytest

from engine.data.fetch.progress import untold
from engine.data.source.registry import forget_sources, load_source
from engine.data.source.source import PARTS
from engine.data.source.vision.by_hand import BY_HAND
from engine.data.source.vision.download import download_set
from engine.data.source.vision.loader import find_set, find_variant
from engine.data.source.vision.picture_set import PICTURE_SETS
from engine.diagnostics import DiagnosticError
from engine.runs.record.state import RunStatus
from engine.spec.run import Choice, DataSpec, SplitSpec
from tests import picture_sets as sets
from tests import vision_files as made
from tests.tiny_run import CROSS_ENTROPY, chain, make_run, node, train

datasets = pytest.importorskip("torchvision.datasets")


def source_of(name, root, **params):
    forget_sources()
    return load_source(Choice(type=name, params={"path": str(root), "size": (8, 8), **params}))


@pytest.mark.row("S130")
@pytest.mark.parametrize("name", sorted(PICTURE_SETS.keys() - BY_HAND.keys()))
def test_that_a_set_is_downloaded_and_has_the_parts_of_torchvision(
    name, server, monkeypatch, tmp_path
):
    counts = sets.PUBLISH[name](server, monkeypatch)
    root, variant = tmp_path / "root", sets.VARIANTS.get(name, "")
    chosen = {"variant": variant} if variant else {}
    root.mkdir()
    with pytest.raises(DiagnosticError) as missing:
        source_of(name, root, **chosen)
    assert missing.value.problems[0].code == "D245"
    assert not list(root.iterdir())
    told = []
    download_set(name, root, variant, lambda *state: told.append(state))
    assert (find_set(root), find_variant(name, root)) == (name, "")
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


def test_that_the_names_of_the_characters_and_things_are_classes(server, monkeypatch, tmp_path):
    for name, published, classes in (
        ("Omniglot", sets.characters, ("Greek/character01", "Greek/character02")),
        ("Caltech101", sets.caltech_101, ("accordion", "ant")),
        ("Caltech256", sets.caltech_256, ("001.ak47", "002.american-flag")),
        ("Places365", sets.scenery, ("/a/airfield", "/z/zen_garden")),
        ("CLEVRClassification", sets.scenes, ("0", "1")),
    ):
        published(server, monkeypatch)
        download_set(name, tmp_path / name, sets.VARIANTS.get(name, ""), untold)
        chosen = {"variant": sets.VARIANTS[name]} if name in sets.VARIANTS else {}
        assert source_of(name, tmp_path / name, **chosen).infos[1].classes == classes
        monkeypatch.undo()


def test_that_the_classes_and_labels_are_those_of_torchvision(server, monkeypatch, tmp_path):
    sets.pets(server, monkeypatch)
    download_set("OxfordIIITPet", tmp_path, "", untold)
    source = source_of("OxfordIIITPet", tmp_path)
    theirs = datasets.OxfordIIITPet(str(tmp_path), split="test")
    assert list(source.infos[1].classes) == theirs.classes
    rows = (source.given_parts() == PARTS.index("test")).nonzero().flatten().tolist()
    assert source.column("label")[rows].tolist() == [theirs[at][1] for at in range(len(theirs))]


@pytest.mark.row("P13")
def test_that_downloaded_pictures_train_on_their_own_parts(server, monkeypatch, tmp_path):
    sets.flowers(server, monkeypatch)
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
    sets.textures(server, monkeypatch)
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
        ("train.json", b'{"soup": ["../../../../secret"]}'),
        ("train.json", b"{"),
        ("train.json", b'{"soup": 7}'),
        ("train.json", b"[]"),
        ("train.json", b"\xff\xfe"),
        ("train.json", b'{"soup": []}'),
    ],
)
def test_that_hostile_lists_cost_a_sentence(file, content, server, monkeypatch, tmp_path):
    sets.food(server, monkeypatch)
    download_set("Food101", tmp_path, "", untold)
    (tmp_path / "food-101" / "meta" / file).write_bytes(content)
    with pytest.raises(DiagnosticError) as refused:
        source_of("Food101", tmp_path)
    assert refused.value.problems[0].code == "D254"


def _help_page(language):
    folder = Path(__file__).parents[5] / "resources" / "help" / language
    return (folder / "published-data.md").read_text(encoding="utf-8")


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
    for language in ("en", "zh_CN"):  # where the user looks for what is not in the list
        page = _help_page(language)
        named = re.findall(r"`(\w+)`", "\n".join(re.findall(r"^\|[^|]*\|", page, re.MULTILINE)))
        assert sorted(named) == sorted(left_out)
        assert all(name in page for name in BY_HAND)
    for entry in catalog().group(EntryGroup.DATA):
        if entry.category == "torchvision":
            assert re.search(r"\d", entry.summary), entry.key
            assert re.search(r"\d (MB|GB)", entry.summary), entry.key
