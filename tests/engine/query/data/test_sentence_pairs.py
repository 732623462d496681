"""Texts with names in the first line, and pairs with more behind them: what is proposed."""

import pytest

from engine.query.data.proposal import propose_data
from engine.query.data.request import ProposeData

ENGLISH = [
    f"the {who} {when}"
    for who in ("dog sleeps", "dog runs", "cat sleeps", "cat runs", "man sleeps", "man runs")
    for when in ("here", "today", "often", "alone")
]
FRENCH = [f"le {text[4:]} aussi" for text in ENGLISH]


@pytest.mark.parametrize(("name", "mark"), [("p.tsv", "\t"), ("p.txt", "\t"), ("p.csv", ",")])
def test_that_a_line_with_the_names_of_two_columns_of_sentences_is_no_pair(tmp_path, name, mark):
    path, rows = tmp_path / name, zip(["english", *ENGLISH], ["french", *FRENCH], strict=True)
    path.write_text("".join(f"{left}{mark}{right}\n" for left, right in rows), encoding="utf-8")
    proposal = propose_data(ProposeData(path=str(path)))
    assert sum(part.samples for part in proposal.info.splits) == len(ENGLISH)
    assert next(field.name for field in proposal.info.fields if field.role == "input") == "english"
    assert proposal.info.target is not None
    assert "aussi" in proposal.info.target.classes
    turned = propose_data(ProposeData(path=str(path), target="english")).info
    assert next(field.name for field in turned.fields if field.role == "input") == "french"


def test_that_a_line_with_the_names_of_text_and_label_is_no_class(tmp_path):
    path = tmp_path / "reviews.txt"
    rows = [f"{text}\t{'ab'[at % 2]}\n" for at, text in enumerate(ENGLISH)]
    path.write_text("text\tlabel\n" + "".join(rows), encoding="utf-8")
    target = propose_data(ProposeData(path=str(path))).info.target
    assert target is not None
    assert target.classes == ("a", "b")


def test_that_sentence_pairs_may_be_followed_by_where_they_are_from(tmp_path):
    path = tmp_path / "fra.txt"
    rows = [
        f"{left.capitalize()}.\t{right.capitalize()}.\tCC-BY 2.0 (France) tatoeba.org #{at}\n"
        for at, (left, right) in enumerate(zip(["go", *ENGLISH], ["va", *FRENCH], strict=True))
    ]
    path.write_text("".join(rows), encoding="utf-8")
    proposal = propose_data(ProposeData(path=str(path)))
    assert proposal.spec.data.source.params["task"] == "pairs"
    assert sum(part.samples for part in proposal.info.splits) == len(ENGLISH) + 1
    assert proposal.info.target is not None
    assert not {"T", "#"} & set(proposal.info.target.classes), "no letter of the licence"


@pytest.mark.parametrize(
    ("answers", "task"), [(FRENCH, "pairs"), (["very good", "not so good"], "classification")]
)
def test_that_pairs_that_come_again_are_no_classes_but_few_labels_of_two_words_are(
    tmp_path, answers, task
):
    path = tmp_path / "lines.txt"
    rows = [f"{ENGLISH[at % 24]}\t{answers[at % len(answers)]}\n" for at in range(240)]
    path.write_text("".join(rows), encoding="utf-8")
    assert propose_data(ProposeData(path=str(path))).spec.data.source.params["task"] == task
