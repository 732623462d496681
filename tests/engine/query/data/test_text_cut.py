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


@pytest.mark.parametrize("is_turned", [False, True])
def test_that_pairs_are_characters_where_one_side_has_no_spaces(tmp_path, is_turned):
    sides = [(CHINESE[at], ENGLISH[at].strip()) for at in range(40)]
    lines = ["\t".join(side[::-1] if is_turned else side) for side in sides]
    (tmp_path / "pairs.txt").write_text("\n".join(lines), encoding="utf-8")
    found = propose_data(ProposeData(path=str(tmp_path / "pairs.txt")))
    params = found.spec.data.source.params
    assert (params["task"], params["tokens"]) == ("pairs", "characters")


@pytest.mark.parametrize("is_named", [True, False])
def test_that_texts_need_no_ending_where_they_lie_in_class_folders(tmp_path, is_named):
    for file in [*in_folders(tmp_path, ENGLISH).rglob("*.txt")]:
        file.rename(file if is_named else file.with_suffix(""))
    (tmp_path / "good" / "notes.md" if is_named else tmp_path / "LICENSE").write_text("Free.")
    found = propose_data(ProposeData(path=str(tmp_path)))
    assert found.spec.data.source.type == "text"
    assert found.info.samples == len(ENGLISH) + is_named
    assert found.info.target.classes == ("bad", "good")


def test_that_tokens_which_the_user_says_stay(tmp_path):
    path = str(in_folders(tmp_path, ENGLISH))
    for said in ({"tokens": "characters"}, {"length": 12}):
        found = propose_data(
            ProposeData(path=path, answers=Answers(params=said))
        ).spec.data.source.params
        assert said.items() <= found.items()
