"""Typing finds what is meant, best first; and the catalogue is there at once, without torch."""

import subprocess
import sys
from pathlib import Path

import pytest

from engine.catalog.registry import Catalog, catalog
from engine.catalog.spec import EntryGroup

ROOT = Path(__file__).parents[3]


def found(text: str) -> list[str]:
    return [entry.key for entry in catalog().search(text)]


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("conv2d", "Conv2d"),
        ("conv", "Conv2d"),
        ("Linear", "Linear"),
        ("dense", "Linear"),
        ("fully connected", "Linear"),
        ("relu", "ReLU"),
        ("max pool", "MaxPool2d"),
        ("mha", "MultiheadAttention"),
        ("self attention", "MultiheadAttention"),
        ("concat", "cat"),
        ("+", "add"),
        ("@", "matmul"),
        ("lstm", "LSTM"),
        ("swish", "SiLU"),
        ("bn", "BatchNorm1d"),
        ("input", "Input"),
        ("cnv2", "Conv2d"),
        ("reshape", "reshape"),
        ("卷积", "Conv2d"),
        ("全连接", "Linear"),
    ],
)
def test_that_the_best_match_comes_first(text, first):
    assert found(text)[0] == first


def test_that_every_word_has_to_fit():
    assert set(found("conv transpose")) == {f"ConvTranspose{d}d" for d in (1, 2, 3)}
    assert found("conv zebra") == []


def test_that_no_text_finds_everything_in_the_order_of_the_palette():
    assert catalog().search("") == catalog().nodes()
    assert catalog().search("  ") == catalog().nodes()


def test_that_a_search_stays_within_the_given_entries():
    losses = catalog().group(EntryGroup.LOSS)
    assert catalog().search("l2", losses)[0].key == "MSELoss"
    assert catalog().search("conv", losses) == ()


@pytest.mark.parametrize("text", ["\\", "(", "*", "[a", "a" * 1000, "\0", "３"])
def test_that_any_text_can_be_searched(text):
    assert isinstance(catalog().search(text), tuple)


def test_that_categories_come_in_the_order_of_the_palette():
    categories = catalog().categories()
    assert categories[:4] == ("Input and output", "Linear", "Convolution", "Pooling")
    assert len(categories) == len(set(categories))


def test_that_nodes_are_found_by_key_and_others_are_not_nodes():
    assert catalog().node("Conv2d") is catalog().entry(EntryGroup.LAYER, "Conv2d")
    assert catalog().node("Adam") is None
    assert catalog().node("") is None
    assert catalog().entry(EntryGroup.LOSS, "Conv2d") is None


def test_that_the_whole_catalogue_is_read():
    fresh = Catalog()
    assert sum(len(fresh.group(group)) for group in EntryGroup) > 300


@pytest.mark.real
def test_that_the_catalogue_loads_without_torch():
    code = (
        "import sys; from engine.catalog.registry import catalog; from engine.catalog import text,"
        " validate; catalog().search('conv'); text.translation('zh_CN');"
        " print(*sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    loaded = {name.partition(".")[0] for name in done.stdout.split()}
    assert not loaded & {"torch", "numpy", "torchvision", "sklearn", "PySide6", "tools"}
