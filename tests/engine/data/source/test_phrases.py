"""Words of translations: what comes next is what the label says."""

from engine.data.load.load import load_split
from engine.data.source.phrases import END, START, french_words
from engine.data.source.registry import load_source
from engine.spec.run import Choice, DataSpec, SplitSpec

SOURCE = Choice(type="phrases", params={"samples": 400})


def translations(source) -> dict[str, set[str]]:
    """Return the translations of each phrase as they are read word by word."""
    found: dict[str, set[str]] = {}
    words: list[str] = []
    labels = source.column("label").tolist()
    for index, label in enumerate(labels):
        before, word = source.text("previous", index), french_words()[label]
        assert before == (words[-1] if words else START)
        words.append(word)
        if word == END:
            found.setdefault(source.text("sequence", index), set()).add(" ".join(words[:-1]))
            words = []
    return found


def test_that_each_word_follows_the_one_before_up_to_the_end_of_the_phrase():
    found = translations(load_source(SOURCE))
    assert len(found) > 20
    assert all(len(each) == 1 for each in found.values())


def test_that_adjectives_agree_with_what_they_tell_of():
    found = translations(load_source(Choice(type="phrases", params={"samples": 6000})))
    phrases = {english: next(iter(french)) for english, french in found.items()}

    def ends(start: str, end: str) -> set[str]:
        return {
            french.split()[-1]
            for english, french in phrases.items()
            if english.startswith(start) and english.endswith(end)
        }

    assert ends("she is", "tired") == {"fatiguée"}
    assert ends("he is", "tired") == {"fatigué"}
    assert ends("", "white house") == {"blanche"}
    assert ends("", "white boat") == {"blanc"}


def test_that_a_phrase_stays_in_one_part_when_it_is_split_by_its_column():
    data = DataSpec(source=SOURCE, split=SplitSpec(kind="group", column="phrase"))
    source, split = load_split(data)
    phrase = source.column("phrase")
    parts = [set(phrase[indices].tolist()) for indices in split.values()]
    assert all(parts)
    assert not parts[0] & parts[1]
    assert not parts[0] & parts[2]


def test_that_each_phrase_to_translate_is_there_once_so_that_sets_share_none():
    source = load_source(Choice(type="phrase_pairs", params={"samples": 400}))
    rows = range(source.samples)
    pairs = [(source.text("source", row), source.text("target", row)) for row in rows]
    assert len(set(pairs)) == len(pairs) > 200
    assert all(english and french for english, french in pairs)
    assert any("n'est" in french for _, french in pairs)
