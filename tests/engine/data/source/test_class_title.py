"""ImageNet's folders: classes by their names, in the order of their numbers."""

import pytest
import torch

from engine.data.load.load import load_data
from engine.query.ask import ask
from engine.query.data.request import ProposeData
from tests.engine.data.source.test_image_folder import folder_of, source_of

NUMBERS = ("n01440764", "n01443537", "n02012849", "n03126707")
SYNONYMS = (("tench", "Tinca tinca"), ("goldfish",), ("crane",), ("crane",))
TITLES = ("tench", "goldfish", "crane (n02012849)", "crane (n03126707)")


def imagenet(root):
    for part in ("train", "val"):
        folder_of(root / part, {name: 50 * at for at, name in enumerate(NUMBERS)})
    return root


def with_meta(root):
    """Write what torchvision keeps of the archive that it unpacked."""
    torch.save((dict(zip(NUMBERS, SYNONYMS, strict=True)), ["n01440764"]), root / "meta.bin")


def with_lines(root):
    lines = [f"{n} {', '.join(s)}\n" for n, s in zip(NUMBERS, SYNONYMS, strict=True)]
    (root / "LOC_synset_mapping.txt").write_text("".join(lines))


@pytest.mark.row("S131")
@pytest.mark.parametrize("write", [with_meta, with_lines])
def test_that_classes_of_imagenet_are_called_by_their_names(tmp_path, write):
    root = imagenet(tmp_path)
    write(root)
    proposal = ask(ProposeData(path=str(root)))
    assert proposal.info.field("label").classes == TITLES
    data = load_data(proposal.spec.data)
    assert len(data.indices["validation"]) == 4 * len(NUMBERS)
    for at, label in enumerate(data.source.column("label").tolist()):
        assert NUMBERS[label] in data.source.text("image", at)
    assert source_of(root / "train").infos[1].classes == TITLES  # found in the folder around it


@pytest.mark.parametrize("content", [b"", b"junk", b"\x80\x02cos\nsystem\n."])
def test_that_what_is_no_list_of_names_leaves_the_numbers(tmp_path, content):
    root = imagenet(tmp_path)
    (root / "meta.bin").write_bytes(content)
    assert source_of(root).infos[1].classes == NUMBERS


def test_that_other_folders_keep_their_names(tmp_path):
    root = folder_of(tmp_path / "mine")
    with_lines(root)
    assert source_of(root).infos[1].classes == ("cats", "dogs", "mice")
