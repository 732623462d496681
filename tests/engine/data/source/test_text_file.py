"""Texts in files: windows, classes and pairs, tokens, encodings, and runs that learn from them."""

import gzip
import lzma
import pickle
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
import torch
from msgspec.structs import replace

from engine.data.load.load import load_data
from engine.data.preview import preview
from engine.data.read import text
from engine.data.source.registry import load_source
from engine.diagnostics import DiagnosticError
from engine.graph.model import Edge, Graph
from engine.runs.record.state import RunStatus
from engine.spec.run import Choice, DataSpec, LoaderSpec, LossTerm
from engine.spec.vocabulary import MARKS, SENTENCE_MARKS, UNKNOWN, Vocabulary
from tests.tiny_run import CROSS_ENTROPY, chain, curves, make_run, node, train

RHYME = "the cat sat on the mat\nthe dog sat on the log\n"
GREETINGS = "greeting\thello there\nleave\tgood bye now\n" * 10


def spec_of(path, **params):
    return DataSpec(source=Choice(type="text", params={"path": str(path), **params}))


def source_of(path, **params):
    return load_source(spec_of(path, **params).source)


def written(tmp_path, content, name="text.txt"):
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def code_of(path, **params):
    with pytest.raises(DiagnosticError) as caught:
        source_of(path, **params)
    return caught.value.problems[0]


@pytest.mark.parametrize("tokens", ["characters", "words", "bytes"])
def test_that_a_window_is_followed_by_the_same_one_token_later(tmp_path, tokens):
    text = "Grüße, Welt! " * 40
    source = source_of(written(tmp_path, text), tokens=tokens, length=5)
    info, target = source.infos
    expected = Vocabulary(info.words, info.unit).encode(text, 5 * source.samples + 1)
    batch = source.read(range(source.samples))
    assert batch["text"].flatten().tolist() == list(expected[:-1])
    assert batch["target"].flatten().tolist() == list(expected[1:])
    assert batch["text"].dtype == batch["target"].dtype == torch.int64
    assert (target.role, target.kind, target.classes) == ("target", "sequence", info.words)
    assert info.words[:2] == MARKS
    assert 0 <= int(batch["text"].min()) <= int(batch["text"].max()) <= info.highest


def test_that_windows_do_not_overlap_by_default_and_cover_the_text_in_its_order(tmp_path):
    path = written(tmp_path, "abcdefghij")
    source = source_of(path, length=3)
    assert [source.text("text", at) for at in range(source.samples)] == ["abc", "def", "ghi"]
    assert source.text("target", 2) == "hij"
    dense = source_of(path, length=3, stride=1)
    assert [dense.text("text", at) for at in (0, 1, 6)] == ["abc", "bcd", "ghi"]
    assert dense.samples == 7


def test_that_windows_of_two_parts_that_share_text_are_pointed_out(tmp_path):
    path = written(tmp_path, "abcdefghij" * 30)
    codes = [
        [
            problem.code
            for problem in load_data(spec_of(path, length=10, stride=stride)).info.problems
        ]
        for stride in (0, 10, 3)
    ]
    assert codes == [[], [], ["D138"]]
    source = source_of(path, length=10, stride=3)
    apart = {"train": torch.arange(50), "validation": torch.arange(54, 90)}
    touching = {"train": torch.arange(50), "validation": torch.arange(53, 90)}
    touching["validation"] = torch.arange(52, 90)
    assert source.check(apart) == ()
    assert source.check(touching)[0].params["count"] == 1


@pytest.mark.row("P19", "S147")
def test_that_the_vocabulary_is_of_the_training_part_alone(tmp_path):
    path = written(tmp_path, "ab" * 50 + "zz" * 50)
    source = source_of(path, length=10)
    fitted = source.fitted(torch.arange(5))
    assert set(source.infos[0].words) == {*MARKS, "a", "b", "z"}
    assert set(fitted.infos[0].words) == {*MARKS, "a", "b"}
    assert bool((fitted.read([15])["text"] == UNKNOWN).all())
    data = load_data(spec_of(path, length=10))
    again = load_data(spec_of(path, length=10))
    assert data.info == again.info
    assert pickle.loads(pickle.dumps(data.source)).infos == data.source.infos


@pytest.mark.parametrize("separated", ["{label}\t{text}\r\n", "{text}\t{label}\n"])
def test_that_labels_are_on_the_side_with_fewer_values(tmp_path, separated):
    samples = [("neg", "ver\u00fd bad"), ("pos", "very good"), ("neg", "rather bad")]
    lines = "".join(separated.format(label=label, text=text) for label, text in samples)
    source = source_of(written(tmp_path, f"\n{lines}\n"), task="classification", tokens="words")
    assert [source.text("text", at) for at in range(3)] == [text for _, text in samples]
    assert source.column("label").tolist() == [0, 1, 0]
    assert [info.name for info in source.infos] == ["text", "label", "target"]
    info = source.infos[0]
    assert source.read([2])["text"][0].tolist() == list(
        Vocabulary(info.words).encode("rather bad", 64)
    )


def test_that_class_folders_are_labels_and_may_be_in_folders_of_parts(tmp_path):
    for part in ("train", "test"):
        for number in (10, 2):
            for label in ("neg", "pos"):
                written(tmp_path, f"{part} {label} {number}", f"{part}/{label}/{number}.txt")
    written(tmp_path, b"\0", "train/neg/.DS_Store")
    source = source_of(tmp_path, task="classification", tokens="words", length=4)
    assert source.text("text", 0) == "test neg 2"
    assert source.text("text", 1) == "test neg 10"
    assert source.given_parts().tolist() == [2] * 4 + [0] * 4
    plain = source_of(tmp_path / "train", task="classification", length=4)
    assert plain.given_parts() is None
    assert plain.column("label").tolist() == [0, 0, 1, 1]


def test_that_texts_without_a_label_are_no_class_of_a_set_that_tests_without_it(tmp_path):
    for folder in ("train/neg", "train/pos", "train/unsup", "test/neg", "test/pos"):
        written(tmp_path, f"a text of {folder}", f"{folder}/0.txt")
    source = source_of(tmp_path, task="classification", tokens="words", length=8)
    assert (source.classes, source.samples) == (("neg", "pos"), 4)
    assert [(each.code, each.params["count"]) for each in source.check({})] == [("D733", 1)]
    written(tmp_path, "one to test", "test/unsup/0.txt")
    source = source_of(tmp_path, task="classification", tokens="words", length=8)
    assert source.classes == ("neg", "pos", "unsup")


PAIRS = "Go.\tVa !\tCC-BY\nI am cold.\tJ'ai froid.\nHe is very, very tired.\tIl est fatigué.\n"


@pytest.mark.row("S147", "S149")
def test_that_a_pair_has_marks_where_a_sentence_starts_and_ends(tmp_path):
    source = source_of(written(tmp_path, PAIRS), task="pairs", tokens="words", length=5)
    assert [(info.name, info.role) for info in source.infos] == [
        ("source", "input"), ("previous", "input"), ("target", "target")
    ]  # fmt: skip
    first, previous, target = (info.vocabulary for info in source.infos)
    assert target.words[:4] == (*MARKS, *SENTENCE_MARKS)
    values = source.read([2])
    assert first.decode(values["source"][0].tolist()) == ("he", "is", "very", "very", "tired")
    assert previous.decode(values["previous"][0].tolist())[:4] == (
        "<start>",
        "il",
        "est",
        "fatigué",
    )
    assert target.decode(values["target"][0].tolist())[:4] == ("il", "est", "fatigué", "<end>")
    assert source.text("target", 0) == "Va !"


@pytest.mark.row("S147", "S148")
def test_that_pairs_are_chosen_by_start_and_length_and_turned_round(tmp_path):
    path = written(tmp_path, PAIRS)
    turned = source_of(path, task="pairs", tokens="words", reverse=True)
    assert (turned.text("source", 0), turned.text("target", 0)) == ("Va !", "Go.")
    chosen = source_of(path, task="pairs", letters="ascii", prefixes="I am, he is ")
    assert [chosen.text("source", at) for at in range(chosen.samples)] == [
        "I am cold.", "He is very, very tired."
    ]  # fmt: skip
    assert "é" not in chosen.infos[2].words
    short = source_of(path, task="pairs", tokens="words", length=4, drop_long=True)
    assert [short.text("source", at) for at in range(short.samples)] == ["Go.", "I am cold."]
    assert code_of(path, task="pairs", prefixes="xyz").code == "D136"


@pytest.mark.fault("B11")
@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("utf-8", "naïve café, tout de même. " * 20),
        ("utf-8-sig", "naïve café, tout de même. " * 20),
        ("utf-16", "床前明月光，疑是地上霜。" * 20),
        ("gb18030", "床前明月光，疑是地上霜。举头望明月，低头思故乡。" * 20),
        ("cp1252", "naïve café, tout de même, déjà vu. " * 20),
    ],
)
def test_that_a_text_is_read_in_its_encoding(tmp_path, encoding, text):
    source = source_of(written(tmp_path, text.encode(encoding)), length=10)
    windows = "".join(source.text("text", at) for at in range(source.samples))
    assert windows
    assert text.startswith(windows)
    found = source_of(tmp_path / "text.txt", encoding="auto", length=10)
    assert found.infos == source.infos


def test_that_a_chosen_encoding_that_is_wrong_is_told_with_its_line(tmp_path):
    path = written(tmp_path, b"plain\n" * 3 + "café!\n".encode())
    problem = code_of(path, encoding="ascii")
    assert (problem.code, problem.field) == ("D030", "data.source.encoding")
    assert (problem.params["encoding"], problem.params["row"]) == ("ascii", 4)
    for length in range(16, 24):  # of which every second could be UTF-16
        path = written(tmp_path, ("plain\n" * 3 + "good day!\n")[:length])
        for encoding in ("utf-16", "UTF-16-LE", "utf_32"):
            problem = code_of(path, encoding=encoding)
            assert (problem.code, problem.field) == ("D622", "data.source.encoding")
            assert problem.params["encoding"] == encoding
    wide = written(tmp_path, "你好世界这是一段文字没有空格".encode("utf-16-le"), "wide.txt")
    assert source_of(wide, encoding="utf-16-le", length=3).samples


def test_that_letters_beyond_ascii_late_in_a_file_do_not_decide_for_the_start(tmp_path):
    text = "plain text " * 10_000 + "café déjà vu, tout de même\n" * 20
    source = source_of(written(tmp_path, text.encode("cp1252")), length=10)
    assert {"é", "à", "ê"} <= set(source.infos[0].words)
    assert code_of(tmp_path / "text.txt", encoding="zip_codec").code == "D037"
    assert "ι" in source_of(tmp_path / "text.txt", encoding="cp1253").infos[0].words


@pytest.mark.fault("B07", "B10")
def test_that_what_is_no_text_of_the_task_is_named(tmp_path):
    assert code_of("").code == "D130"
    assert code_of(tmp_path / "none.txt").code == "D131"
    (tmp_path / "empty").mkdir()
    assert code_of(tmp_path / "empty").code == "D131"
    assert code_of(written(tmp_path, b"\0\1\2\xff" * 99)).code == "D132"
    late = b"plain " * 20_000 + b"\0"
    assert code_of(written(tmp_path, late)).code == "D132"
    problem = code_of(written(tmp_path, "a\tb\n\nplain"), task="classification")
    assert (problem.code, problem.params["line"]) == ("D134", 3)
    assert code_of(written(tmp_path, "a\tb\na\tc"), task="classification").code == "D135"
    assert code_of(written(tmp_path, ""), task="classification").code == "D400"
    assert code_of(written(tmp_path, "abc"), length=3).code == "D137"
    assert code_of(written(tmp_path, " \n"), length=3).code == "D400"


def test_that_a_packed_text_gives_what_it_holds(tmp_path):
    plain = source_of(written(tmp_path, GREETINGS), task="classification")
    packed = written(tmp_path, gzip.compress(GREETINGS.encode("utf-16")), "text.txt.gz")
    found = source_of(packed, task="classification")
    assert found.classes == plain.classes
    assert torch.equal(found.read(range(20))["text"], plain.read(range(20))["text"])
    folder = tmp_path / "folder"
    written(folder, gzip.compress(b"packed only "), "1.txt.gz")
    for name in ("2.txt", "2.txt.gz"):
        content = b"there twice "
        written(folder, gzip.compress(content) if name.endswith("gz") else content, name)
    written(folder, "plain", "3.txt")
    assert source_of(folder, length=30).text("text", 0) == "packed only \nthere twice \nplain"[:30]


@pytest.mark.fault("B06", "B01")
def test_that_a_packed_text_that_is_none_is_told(tmp_path, monkeypatch):
    packed = gzip.compress("Grüße aus Köln\n".encode() * 900, mtime=0)
    cut = code_of(written(tmp_path, packed[:-20], "cut.txt.gz"))
    assert (cut.code, Path(str(cut.params["file"])).name) == ("D033", "cut.txt.gz")
    assert code_of(written(tmp_path, packed[:40] + b"\xff" * 40, "a.txt.gz")).code == "D033"
    assert code_of(written(tmp_path, lzma.compress(RHYME.encode() * 99), "b.txt.gz")).code == "D132"
    assert code_of(written(tmp_path, gzip.compress(b""), "c.txt.gz")).code == "D400"
    assert source_of(written(tmp_path, RHYME, "plain.txt.gz"), length=4).samples
    monkeypatch.setattr(text, "most_bytes", lambda: 1 << 22)
    bomb = code_of(written(tmp_path, gzip.compress(b"a b " * (1 << 22)), "bomb.txt.gz"))
    assert (bomb.code, bomb.params["limit"]) == ("D133", 4)


def test_that_a_large_text_takes_a_few_bytes_a_token(tmp_path):
    words = [f"word{number}" for number in range(5000)]
    chosen = np.random.default_rng(0).integers(0, 5000, 400_000)
    path = written(tmp_path, " ".join(words[each] for each in chosen))
    size = path.stat().st_size
    for tokens in ("characters", "words", "bytes"):
        tracemalloc.start()
        source = source_of(path, tokens=tokens)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert source.samples > 1000
        assert peak < 8 * size + (16 << 20), tokens  # a list of words takes twenty times the size


def test_that_samples_are_shown_as_they_were_written(tmp_path):
    data = load_data(spec_of(written(tmp_path, GREETINGS), task="classification", tokens="words"))
    sample = preview(data, "train", 0, 1).samples[0]
    assert sample.texts["text"] in {"hello there", "good bye now"}


def language_model(length, words):
    """Return Embedding, GRU, Linear and a transpose: classes come second for a loss."""
    names = [
        node("Input", "text", field="text", shape=(length,), dtype="int64"),
        node("Embedding", "embed", num_embeddings=words, embedding_dim=16),
        node("GRU", "gru", hidden_size=32, batch_first=True),
        node("Linear", "head", out_features=words),
        node("transpose", "turn", dim0=1, dim1=2),
        node("Output", "logits"),
    ]
    graph = chain(*names)
    edges = tuple(
        Edge(source=edge.source, source_port="output", target=edge.target, target_port="input")
        for edge in graph.edges
    )
    return Graph(nodes=graph.nodes, edges=edges)


NEXT = LossTerm(
    loss=Choice(type="CrossEntropyLoss"), inputs={"input": "model.logits", "target": "data.target"}
)


@pytest.mark.row("S147")
@pytest.mark.parametrize("tokens", ["characters", "words"])
def test_that_a_language_model_learns_a_text(tmp_path, tokens):
    data = spec_of(written(tmp_path, RHYME * 60), length=12, tokens=tokens)
    words = len(load_data(data).info.fields[0].words)
    run = make_run(
        tmp_path / "project",
        language_model(12, words),
        data=data,
        losses=(NEXT,),
        metrics=("accuracy", "perplexity"),
        epochs=12,
    )
    state = train(run)
    assert state.status is RunStatus.FINISHED
    assert state.metrics["test.perplexity"] == pytest.approx(
        np.exp(state.metrics["test.loss"]), rel=1e-3
    )
    assert state.metrics["test.perplexity"] < words / 3
    assert state.metrics["test.accuracy"] > 0.5
    assert "validation.perplexity" in curves(run)


@pytest.mark.real
def test_that_a_run_on_a_text_is_the_same_with_workers(tmp_path):
    values = []
    for workers in (0, 2):
        data = spec_of(written(tmp_path, RHYME * 20), length=12)
        data = replace(data, loader=LoaderSpec(num_workers=workers))
        words = len(load_data(data).info.fields[0].words)
        run = make_run(
            tmp_path / f"project-{workers}",
            language_model(12, words),
            data=data,
            losses=(NEXT,),
            epochs=2,
        )
        assert train(run).status is RunStatus.FINISHED
        values.append(curves(run)["train.loss"])
    assert values[0] == values[1]


def test_that_a_classifier_learns_lines_with_labels(tmp_path):
    data = spec_of(
        written(tmp_path, GREETINGS * 5), task="classification", tokens="words", length=4
    )
    words = len(load_data(data).info.fields[0].words)
    graph = chain(
        node("Input", "text", field="text", shape=(4,), dtype="int64"),
        node("Embedding", "embed", num_embeddings=words, embedding_dim=8),
        node("Flatten", "flat"),
        node("Linear", "head", out_features=2),
        node("Output", "logits"),
    )
    state = train(make_run(tmp_path / "p", graph, data=data, losses=(CROSS_ENTROPY,), epochs=6))
    assert state.status is RunStatus.FINISHED
    assert state.metrics["test.accuracy"] == 1.0


@pytest.mark.row("S147", "S148", "S149")
def test_that_a_decoder_learns_pairs_without_their_padding(tmp_path):
    lines = "".join(f"{a} {b}\t{b} {a}\n" for a in "abcd" for b in "efgh") * 6
    data = spec_of(written(tmp_path, lines), task="pairs", length=6)
    info = load_data(data).info
    nodes = [
        node("Input", "previous", field="previous", shape=(6,), dtype="int64"),
        node("Embedding", "embed", num_embeddings=len(info.fields[1].words), embedding_dim=8),
        node("GRU", "gru", hidden_size=16, batch_first=True),
        node("Linear", "head", out_features=len(info.fields[2].words)),
        node("transpose", "turn", dim0=1, dim1=2),
        node("Output", "logits"),
    ]
    loss = Choice(type="CrossEntropyLoss", params={"ignore_index": 0})
    term = LossTerm(loss=loss, inputs=NEXT.inputs)
    run = make_run(
        tmp_path / "p", chain(*nodes), data=data, losses=(term,), metrics=("perplexity",), epochs=30
    )
    state = train(run)
    assert state.status is RunStatus.FINISHED
    assert state.metrics["test.perplexity"] < 3  # of the four tokens two can be known


@pytest.mark.fault("B10")
def test_that_empty_files_among_texts_are_named(tmp_path):
    def folder_of(root, *blank):
        for name in ("bad", "good"):
            (root / name).mkdir(parents=True)
            for number in range(4):
                text = " \n" if f"{name}/{number}" in blank else f"{name} words {number}"
                (root / name / f"{number}.txt").write_text(text)
        return source_of(root, task="classification").check({})

    assert folder_of(tmp_path / "a") == ()
    (problem,) = folder_of(tmp_path / "b", "bad/2")
    assert problem.code == "D401"
    assert (problem.params["count"], problem.params["names"]) == (1, "bad/2.txt")


def test_that_texts_that_are_cut_are_counted(tmp_path):
    for at in range(4):
        folder = tmp_path / ("bad", "good")[at % 2]
        folder.mkdir(exist_ok=True)
        (folder / f"{at}.txt").write_text("word " * (3 + at))
    told = [
        [(each.code, each.params["count"]) for each in source.check({})]
        for length in (4, 6)
        for source in [source_of(tmp_path, task="classification", tokens="words", length=length)]
    ]
    assert told == [[("D730", 2)], []]
