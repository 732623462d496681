"""Texts in subwords: trained on the training part, read from a file, kept with a run."""

import json
import pickle
import sys
from collections import OrderedDict

import numpy as np
import pytest
import torch
from msgspec.structs import replace
from tokenizers import Tokenizer

from engine.api import export
from engine.data.load.fit import read_fit
from engine.data.load.load import load_data
from engine.data.read import tokenizer as reading
from engine.data.read.listening import listening
from engine.data.source import subword_cache, subwords
from engine.data.source.registry import forget_sources, load_source
from engine.diagnostics import DiagnosticError
from engine.query.ask import ask
from engine.query.results.request import Predict
from engine.runs.record.state import RunStatus
from engine.spec.data import FieldInfo
from engine.spec.first_model import first_model
from engine.spec.run import Choice, DataSpec, LoaderSpec, LossTerm, SplitSpec
from engine.spec.vocabulary import MARKS
from tests.tiny_run import CROSS_ENTROPY, curves, make_run, train

RHYME = "the cat sat on the mat\nthe dog sat on the log\n"
GREETINGS = "greeting\thello there\nleave\tgood bye now\n" * 10
NEXT = LossTerm(
    loss=Choice(type="CrossEntropyLoss"), inputs={"input": "model.output", "target": "data.target"}
)


def spec_of(path, **params):
    params = {"tokens": "bpe", "vocabulary_size": 300, "length": 8, **params}
    return DataSpec(
        source=Choice(type="text", params={"path": str(path), **params}),
        split=SplitSpec(kind="sequential"),
    )


def written(tmp_path, content, name="text.txt"):
    path = tmp_path / name
    path.write_text(content, encoding="utf-8")
    return path


def tokenizer_file(tmp_path, texts=(RHYME,), size=290):
    """Return a tokenizer.json without any marks, as those of many models are."""
    library = reading.require_library()
    made = library.Tokenizer(library.models.BPE())
    made.pre_tokenizer = library.pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = library.decoders.ByteLevel()
    alphabet = library.pre_tokenizers.ByteLevel.alphabet()
    trainer = library.trainers.BpeTrainer(
        vocab_size=size, initial_alphabet=alphabet, show_progress=False
    )
    made.train_from_iterator(texts, trainer)
    return written(tmp_path, made.to_str(), "tokenizer.json")


def run_of(folder, data, **changes):
    info = load_data(data).info
    loss = NEXT if info.field("target").kind == "sequence" else CROSS_ENTROPY
    graph = first_model(info)
    output = next(node.name for node in graph.nodes.values() if node.type == "Output")
    loss = replace(loss, inputs={**loss.inputs, "input": f"model.{output}"})
    return make_run(folder, graph, data=data, losses=(loss,), **changes)


@pytest.mark.parametrize(
    "text", ["Grüße, Welt!  So\n\tso. ", "床前明月光，疑是地上霜。🦊", "a<pad>b "]
)
def test_that_windows_in_subwords_say_what_was_written(tmp_path, text):
    source = load_data(spec_of(written(tmp_path, text * 60))).source
    whole = "".join(source.text("text", at) for at in range(source.samples))
    assert source.samples > 10
    if "<pad>" not in text:
        assert whole.strip("\ufffd")[:20] in text * 60
    batch = source.read(range(source.samples))
    assert bool((batch["text"][:, 1:] == batch["target"][:, :-1]).all())
    info = source.infos[0]
    assert len(set(info.words)) == len(info.words)
    assert int(batch["text"].max()) <= info.highest


def test_that_the_encoding_is_trained_on_the_training_part_alone(tmp_path):
    strange = "zyxwvut " * 200
    data = load_data(spec_of(written(tmp_path, RHYME * 60 + strange), vocabulary_size=400))
    assert data.info.field("text").words[: len(MARKS)] == MARKS
    assert not any("zyx" in word for word in data.info.field("text").words)
    assert any("cat" in word for word in data.info.field("text").words)
    training = "".join(data.source.text("text", int(at)) for at in data.indices["train"])
    assert "zy" not in training
    lines = written(tmp_path, "a\tcat cat\nb\tdog dog\n" * 40 + "b\tzyxwvut zyxwvut\n" * 8, "l.txt")
    classes = load_data(spec_of(lines, task="classification"))
    held = torch.cat([classes.indices[part] for part in ("validation", "test")])
    assert "zyxwvut zyxwvut" in {classes.source.text("text", int(at)) for at in held}
    assert not any("zyx" in word for word in classes.info.field("text").words)


def test_that_no_window_of_the_training_part_reaches_into_another(tmp_path):
    # What comes later is of other words: the tokenizer of the first half needs fewer tokens there.
    letters = np.random.default_rng(0).integers(97, 123, (2, 12, 7)).astype(np.uint8)
    draws = np.random.default_rng(1).integers(0, 12, (2, 1500))
    halves = (
        " ".join(words[each].tobytes().decode() for each in row)
        for words, row in zip(letters, draws, strict=True)
    )
    text = " ".join(halves)
    source = load_source(spec_of(written(tmp_path, text)).source)
    first = source.fitted(torch.arange(source.samples // 2))
    tokens = first.tokens
    ends = first.starts_of(np.arange(first.samples)) + first.length + 1
    character = [tokens.tokenizer.decode(tokens.ids[:end].tolist()) for end in ends[:200]]
    whole = source._whole[0]
    before = whole.starts_of(np.arange(whole.samples)) + whole.length + 1
    laid = [whole.tokens.tokenizer.decode(whole.tokens.ids[:end].tolist()) for end in before[:200]]
    assert first.tokens.tokenizer.content != whole.tokens.tokenizer.content
    pairs = list(zip(character, laid, strict=True))[1:]  # nothing stands before the first
    assert all(len(now) <= len(then) for now, then in pairs)


@pytest.mark.parametrize("task", ["language_model", "classification", "pairs"])
def test_that_a_run_in_subwords_is_trained_and_resumed_bit_for_bit(tmp_path, task):
    content = RHYME * 40 if task == "language_model" else GREETINGS * 4
    data = spec_of(written(tmp_path, content), task=task, drop_long=True)
    if task == "pairs":
        graph = pairs_model(load_data(data).info)
        whole, halves = (
            make_run(tmp_path / name, graph, data=data, losses=(NEXT,), epochs=epochs)
            for name, epochs in (("whole", 4), ("halves", 2))
        )
    else:
        whole = run_of(tmp_path / "whole", data, epochs=4)
        halves = run_of(tmp_path / "halves", data, epochs=2)
    assert train(whole).status is RunStatus.FINISHED
    assert train(halves).status is RunStatus.FINISHED
    forget_sources()
    assert read_fit(halves.artefacts).tokenizers
    assert train(halves, resume="latest", length=4).status is RunStatus.FINISHED
    assert curves(whole)["train.loss"] == curves(halves)["train.loss"]


def pairs_model(info):
    from tests.tiny_run import chain, node

    size = info.field("previous").highest + 1
    return chain(
        node("Input", "previous", field="previous", shape=(8,), dtype="int64"),
        node("Embedding", "embed", num_embeddings=size, embedding_dim=8),
        node("GRU", "gru", hidden_size=8, batch_first=True),
        node("Linear", "head", out_features=len(info.field("target").words)),
        node("transpose", "turn", dim0=1, dim1=2),
        node("Output", "output"),
    )


@pytest.mark.real
def test_that_a_run_in_subwords_is_the_same_with_workers(tmp_path):
    values = []
    for workers in (0, 2):
        data = spec_of(written(tmp_path, RHYME * 20))
        data = replace(data, loader=LoaderSpec(num_workers=workers))
        run = run_of(tmp_path / f"project-{workers}", data, epochs=2)
        assert train(run).status is RunStatus.FINISHED
        values.append(curves(run)["train.loss"])
    assert values[0] == values[1]


def test_that_a_run_needs_no_tokenizer_file_after_its_start(tmp_path):
    file = tokenizer_file(tmp_path)
    data = spec_of(written(tmp_path, GREETINGS * 4), task="classification", tokenizer=str(file))
    info = load_data(data).info.field("text")
    assert info.words[info.padding] == "<pad>"
    assert info.padding == len(info.words) - 1  # the numbers of the file stay as they are
    run = run_of(tmp_path / "p", data, epochs=2)
    assert train(run).status is RunStatus.FINISHED
    file.unlink()
    (run.artefacts / "tokenizers.json").unlink()  # its checkpoints have it, too
    forget_sources()
    with pytest.raises(DiagnosticError) as caught:
        load_data(data)
    assert caught.value.problems[0].code == "D312"
    assert train(run, resume="latest", length=3).status is RunStatus.FINISHED
    found = ask(
        Predict(
            run_folder=str(run.path), checkpoint="last", values={}, texts={"text": "hello there"}
        )
    )
    assert sum(found.values) == pytest.approx(1)
    assert "".join(found.tokens["text"].words).replace("␣", " ") == "hello there"
    files = export(run.path, "state-dict", tmp_path / "m.pt").files
    assert {str(tmp_path / "m.pt"), str(tmp_path / "m.tokenizer.json")} <= set(files)


def test_that_a_typed_text_is_read_as_the_samples_are(tmp_path):
    data = spec_of(written(tmp_path, GREETINGS * 4), task="classification")
    run = run_of(tmp_path / "p", data, epochs=1)
    train(run)
    source = load_data(data).source
    found = ask(
        Predict(
            run_folder=str(run.path), checkpoint="last", values={}, texts={"text": "good bye now"}
        )
    )
    row = next(at for at in range(source.samples) if source.text("text", at) == "good bye now")
    numbers = source.read([row])["text"][0].tolist()
    assert list(found.tokens["text"].numbers) == numbers[: len(found.tokens["text"].numbers)]


@pytest.mark.real
@pytest.mark.parametrize(
    ("tokens", "letters"),
    [("bpe", "all"), ("bpe", "ascii"), ("characters", "all"), ("bytes", "all"), ("words", "ascii")],
)
def test_that_an_exported_file_encodes_and_decodes_a_text(tmp_path, tokens, letters):
    lines = "greeting\tHéllo thére\nleave\tgood bye now\n" * 40
    data = spec_of(
        written(tmp_path, lines), task="classification", tokens=tokens, length=24, letters=letters
    )
    run = run_of(tmp_path / "p", data, epochs=1)
    train(run)
    export(run.path, "python", tmp_path / "m.py")
    sys.path.insert(0, str(tmp_path))
    try:
        import m

        source = load_data(data).source
        for at in range(4):
            written_text = source.text("text", at)
            numbers = m.encode(written_text)
            assert numbers.tolist() == source.read([at])["text"].tolist()
            plain = written_text.lower().replace("é", "e") if letters == "ascii" else written_text
            assert m.decode(numbers) == plain
            m.load_model()(numbers)
    finally:
        sys.path.remove(str(tmp_path))
        sys.modules.pop("m", None)
    if tokens == "bpe":
        known = Tokenizer.from_file(str(tmp_path / "m.tokenizer.json"))
        assert (
            known.encode("good bye").ids
            == m.encode("good bye")[0][: len(known.encode("good bye").ids)].tolist()
        )


def no_tokens(known):
    known["model"] |= {"vocab": {}, "merges": []}
    known["added_tokens"] = []


def distant(known):
    known["model"]["vocab"]["far"] = 1 << 30


def slow(known):
    known["pre_tokenizer"] = {
        "type": "Split", "pattern": {"Regex": "(a+)+$"}, "behavior": "Isolated", "invert": False
    }  # fmt: skip


def growing(known):
    double = {"type": "Replace", "pattern": {"String": "a"}, "content": "a" * 99}
    known["normalizer"] = {"type": "Sequence", "normalizers": [double] * 8}


def padded(known):
    known["padding"] = {
        "strategy": {"Fixed": 1 << 40}, "direction": "Right", "pad_to_multiple_of": None,
        "pad_id": 0, "pad_type_id": 0, "pad_token": "!",
    }  # fmt: skip


@pytest.mark.real
@pytest.mark.parametrize(
    ("change", "code"),
    [
        (no_tokens, "D311"),
        (distant, "D313"),
        (slow, "D311"),
        (growing, "D311"),
        (padded, ""),
    ],
)
def test_that_a_hostile_tokenizer_is_a_sentence(tmp_path, change, code):
    file = tokenizer_file(tmp_path)
    content = json.loads(file.read_text())
    change(content)
    file.write_text(json.dumps(content))
    data = spec_of(written(tmp_path, RHYME * 20), tokenizer=str(file))
    if not code:
        assert load_data(data).info.samples
        return
    with pytest.raises(DiagnosticError) as caught:
        load_data(data)
    assert [problem.code for problem in caught.value.problems] == [code]


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\xff\xfe\0", b'{"model": 3}'])
def test_that_a_broken_tokenizer_is_a_sentence(tmp_path, content):
    file = tmp_path / "tokenizer.json"
    file.write_bytes(content)
    with pytest.raises(DiagnosticError) as caught:
        load_data(spec_of(written(tmp_path, RHYME * 20), tokenizer=str(file)))
    assert caught.value.problems[0].code == "D311"


def test_that_a_large_tokenizer_is_not_read(tmp_path):
    file = tmp_path / "tokenizer.json"
    with file.open("wb") as stream:
        stream.truncate(reading.LARGEST_FILE + 1)
    with pytest.raises(DiagnosticError) as caught:
        load_data(spec_of(written(tmp_path, RHYME * 20), tokenizer=str(file)))
    assert caught.value.problems[0].code == "D313"


@pytest.mark.parametrize("tokens", ["words", "bpe"])
def test_that_batches_of_like_length_are_told_to_save_nothing_for_padded_texts(tmp_path, tokens):
    data = spec_of(written(tmp_path, GREETINGS), task="classification", tokens=tokens)
    found = load_data(replace(data, sampler="bucketed"))
    assert [problem.code for problem in found.info.problems] == ["D319"]
    assert len(found.sampler.order(0, 0)) == found.samples("train")
    assert load_data(data).info.problems == ()


def test_that_a_missing_library_is_a_sentence(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    forget_sources()
    with pytest.raises(DiagnosticError) as caught:
        load_data(spec_of(written(tmp_path, RHYME * 21)))
    assert caught.value.problems[0].code == "D310"


def test_that_a_source_in_subwords_goes_to_other_processes(tmp_path):
    source = load_data(spec_of(written(tmp_path, RHYME * 20))).source
    again = pickle.loads(pickle.dumps(source))
    assert again.infos == source.infos
    assert isinstance(again.infos[0], FieldInfo)
    assert again.text("text", 3) == source.text("text", 3)


@pytest.fixture
def large(tmp_path, monkeypatch):
    """Return a text that counts as large, with an empty cache."""
    monkeypatch.setattr(subword_cache, "_LEAST", 1000)
    monkeypatch.setattr(subword_cache, "cache_folder", lambda _name: private(tmp_path / "cache"))
    # What another test learned is not in that cache.
    monkeypatch.setattr(subwords, "_trained", OrderedDict())
    return written(tmp_path, RHYME * 200)


def private(folder):
    folder.mkdir(exist_ok=True)
    return folder


TASKS = [{}, {"task": "classification"}]


@pytest.mark.parametrize("params", TASKS)
def test_that_a_large_text_is_cut_once_and_alike_when_it_is_opened_again(
    large, monkeypatch, params
):
    if params:
        large.write_text(GREETINGS * 20)
    first = load_data(spec_of(large, **params)).source
    before = first.read(range(first.samples))
    forget_sources()
    monkeypatch.setattr(subwords, "_trained", OrderedDict())

    def again(*_args, **_options):
        raise AssertionError("It was cut or learned before")

    monkeypatch.setattr(reading.SubwordTokenizer, "_encoded", again)
    monkeypatch.setattr(subwords, "train_tokenizer", again)
    second = load_data(spec_of(large, **params)).source
    after = second.read(range(second.samples))
    assert all(bool((before[name] == after[name]).all()) for name in before)
    assert first.used_tokenizers() == second.used_tokenizers()


def test_that_damage_to_what_was_kept_of_a_text_costs_time_alone(large, tmp_path, monkeypatch):
    before = load_data(spec_of(large)).source.read(range(4))
    for file in (tmp_path / "cache").iterdir():
        content = bytearray(file.read_bytes())
        content[-1] ^= 1
        file.write_bytes(content)
    forget_sources()
    monkeypatch.setattr(subwords, "_trained", OrderedDict())
    after = load_data(spec_of(large)).source.read(range(4))
    assert bool((before["text"] == after["text"]).all())


def test_that_learning_and_cutting_are_told_and_can_be_given_up(large, monkeypatch):
    monkeypatch.setattr(reading, "_CHARACTERS_AT_ONCE", 1000)
    monkeypatch.setattr(subwords, "_PIECE", 1000)
    told = []
    with listening(told.append, lambda: False):
        load_data(spec_of(large))
    assert {each.stage for each in told} == {"learn", "cut"}
    cut = [each for each in told if each.stage == "cut"]
    assert {each.total for each in cut} == {len(RHYME) * 200}
    assert len({each.done for each in cut}) > 3
    for stage in ("learn", "cut"):
        forget_sources()
        monkeypatch.setattr(subwords, "_trained", OrderedDict())
        for file in subword_cache.cache_folder("").iterdir():
            file.unlink()
        told.clear()

        def is_reached(stage=stage):
            return any(each.stage == stage for each in told)

        with listening(told.append, is_reached), pytest.raises(DiagnosticError) as caught:
            load_data(spec_of(large))
        assert caught.value.problems[0].code == "D274"
