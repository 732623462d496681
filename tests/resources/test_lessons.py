"""The lessons of the manual: their code runs, and what they say is so."""

import re
from pathlib import Path

import pytest

from studio.help.presenter import page_text
from tests.plain_python import PlainPython

LANGUAGES = ("en", "zh_CN")


def blocks(language: str) -> list[str]:
    return re.findall(r"```python\n(.*?)```", page_text("lessons", language), re.DOTALL)


def test_that_both_languages_show_the_same_code() -> None:
    assert blocks("en") == blocks("zh_CN")
    assert len(blocks("en")) == 2


@pytest.mark.real
@pytest.mark.row("S101")
def test_that_gradients_by_hand_bring_the_loss_down(
    plain_python: PlainPython, tmp_path: Path
) -> None:
    written = plain_python.output(blocks("en")[0], folder=tmp_path)
    lines = [line.split() for line in written.splitlines()]
    assert [int(step) for step, _ in lines] == [99, 199, 299, 399, 499]
    losses = [float(loss) for _, loss in lines]
    assert losses == sorted(losses, reverse=True)
    assert losses[-1] < losses[0] / 100
    for words in ("64", "1000", "100", "1e-6"):
        assert words in page_text("lessons", "en")


@pytest.mark.real
@pytest.mark.row("S096")
def test_that_a_container_by_hand_finds_all_its_weights(
    plain_python: PlainPython, tmp_path: Path
) -> None:
    written = plain_python.output(blocks("en")[1], folder=tmp_path)
    assert written == "torch.Size([2, 10]) 4\n"


@pytest.mark.row("S339")
def test_that_the_way_to_one_batch_is_told() -> None:
    for language in LANGUAGES:
        assert "next(iter(loader))" in page_text("lessons", language)


@pytest.mark.row("S021", "S025", "S084", "S127", "S128", "S088")
def test_that_the_background_is_told_in_both_languages() -> None:
    for language in LANGUAGES:
        text = page_text("background", language)
        for words in (
            "torch.allclose",
            "torch.nonzero",
            "torch.cdist",
            "nn.ModuleDict",
            "nn.Parameter",
            "save_pretrained",
            "AdamW",
            "torch_distributed_zero_first",
            "MMDetection",
            "N × C × H × W",
            "unsqueeze(0)",
        ):
            assert words in text, (language, words)


@pytest.mark.row("S131", "S132")
def test_that_data_sets_that_are_not_downloaded_are_named_with_what_they_are_read_as() -> None:
    names = "IMDB SST TREC SNLI MultiNLI WikiText2 WikiText103 PennTreebank Multi30k ImageNet COCO"
    for language in LANGUAGES:
        text = page_text("data", language)
        for name in names.split():
            assert name in text, (language, name)


@pytest.mark.row("S299")
@pytest.mark.parametrize(
    ("language", "words"), [("en", "two to four times faster"), ("zh_CN", "快两到四倍")]
)
def test_that_half_precision_says_that_its_speed_depends_on_the_gpu(
    language: str, words: str
) -> None:
    text = page_text("precision", language)
    assert words in text
    assert "GPU" in text


@pytest.mark.row("S032", "S034", "S054", "S057", "S227", "S300")
def test_that_what_stands_behind_tensors_is_told_with_pictures() -> None:
    for language in LANGUAGES:
        text = page_text("background", language)
        for words in (
            "storage_offset",
            "align_to",
            "Variable(x)",
            "AutogradMeta",
            "VariableType",
            "TensorIterator",
            "ccache",
            "TorchServe",
        ):
            assert words in text, (language, words)
        pictures = re.findall(r"```text\n(.*?)```", text, re.DOTALL)
        assert ["all-reduce" in each for each in pictures] == [False, True, False]
