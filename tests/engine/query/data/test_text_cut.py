"""Texts to classify or to translate are cut into tokens by what they are, wherever they stand."""

import pytest

from engine.query.data.proposal import propose_data
from engine.query.data.request import ProposeData
from engine.spec.proposal import Answers

ENGLISH = [
    f"this film of {n} scenes was {'good' if n % 2 else 'bad'} " + "and " * n for n in range(40)
]
CHINESE = ["这部电影" + ("很好" if n % 2 else "很差") + "看" * n for n in range(40)]


def in_folders(place, texts):
    for number, text in enumerate(texts):
        folder = place / ("good" if number % 2 else "bad")
        folder.mkdir(exist_ok=True)
        (folder / f"{number}.txt").write_text(text, encoding="utf-8")
    return place


def in_lines(place, texts):
    file = place / "texts.txt"
    labels = ("bad", "good")
    lines = (f"{labels[number % 2]}\t{text.strip()}\n" for number, text in enumerate(texts))
    file.write_text("".join(lines), encoding="utf-8")
    return file


def in_pairs(place, texts):
    file = place / "pairs.txt"
    lines = (f"{text.strip()}\t{text.strip()} {number}\n" for number, text in enumerate(texts))
    file.write_text("".join(lines), encoding="utf-8")
    return file


@pytest.mark.parametrize("written", [in_folders, in_lines, in_pairs])
@pytest.mark.parametrize(("texts", "unit"), [(ENGLISH, "words"), (CHINESE, "characters")])
def test_that_the_longest_text_fits_in_tokens_that_suit_it(tmp_path, written, texts, unit):
    found = propose_data(ProposeData(path=str(written(tmp_path, texts))))
    params = found.spec.data.source.params
    assert params["tokens"] == unit
    longest = max(len(text.split() if unit == "words" else text) for text in texts)
    assert longest <= params["length"] < 2 * longest
    assert found.info.samples == len(texts)


def test_that_tokens_which_the_user_says_stay(tmp_path):
    path = str(in_folders(tmp_path, ENGLISH))
    for said in ({"tokens": "characters"}, {"length": 12}):
        found = propose_data(
            ProposeData(path=path, answers=Answers(params=said))
        ).spec.data.source.params
        assert said.items() <= found.items()
