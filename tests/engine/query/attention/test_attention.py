"""Attention weights of a text of the user's own: those of a plain computation, with its tokens."""

import math
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn

from engine.data.load.load import load_data
from engine.diagnostics import DiagnosticError
from engine.graph.attention import attends
from engine.graph.model import Edge, Graph, Node
from engine.project.project import read_template
from engine.query.ask import ask
from engine.query.attention.request import AttentionReport, ReadAttention
from engine.query.results.answer import kept_model
from engine.runs.folder import RunFolder
from engine.spec.run import Choice, DataSpec, LossTerm
from tests.exported_kinds import KINDS, proposed
from tests.tiny_run import chain, make_run, node, train

LENGTH, WIDTH, HEADS = 8, 16, 4
TERM = LossTerm(
    loss=Choice(type="CrossEntropyLoss"),
    inputs={"input": "model.logits", "target": "data.target"},
)


def edges(*lines: str) -> tuple[Edge, ...]:
    found: list[Edge] = []
    for line in lines:
        source, target = line.split(" -> ")
        (start, out), (end, port) = source.split("."), target.split(".")
        found.append(Edge(source=start, source_port=out, target=end, target_port=port))
    return tuple(found)


def graph_of(nodes: tuple[Node, ...], *lines: str) -> Graph:
    return Graph(nodes={each.id: each for each in nodes}, edges=edges(*lines))


def writing(words: int) -> tuple[Node, ...]:
    return (
        node("Linear", "head", out_features=words),
        node("transpose", "turn", dim0=1, dim1=2),
        node("Output", "logits"),
    )


def language_model(words: int, *middle: Node) -> Graph:
    """Return a model whose one node ``look`` attends, after an embedding."""
    is_layer = middle[-1].type == "MultiheadAttention"
    nodes = (
        node("Input", "text", field="text", shape=(LENGTH,), dtype="int64"),
        node("Embedding", "embed", num_embeddings=words, embedding_dim=WIDTH),
        *middle,
        *writing(words),
    )
    masks = ("scores.output -> later.input", "later.output -> look.attn_mask") if is_layer else ()
    output = "attn_output" if is_layer else "output"
    return graph_of(
        nodes,
        "text.output -> embed.input",
        *(f"embed.output -> look.{port}" for port in ("query", "key", "value")),
        *masks,
        f"look.{output} -> head.input",
        "head.output -> turn.input",
        "turn.output -> logits.input",
    )


def trained(folder: Path, *middle: Node) -> RunFolder:
    """Return a run of a character model of a text with line breaks."""
    (folder / "text.txt").write_text("ab c\nde f\n" * 30, encoding="utf-8")
    params = {"path": str(folder / "text.txt"), "length": LENGTH}
    data = DataSpec(source=Choice(type="text", params=params), batch_size=8)
    graph = language_model(len(load_data(data).info.fields[0].words), *middle)
    run = make_run(folder, graph, data=data, losses=(TERM,), epochs=1, metrics=())
    assert train(run).problem is None
    return run


@pytest.fixture(scope="module")
def run(tmp_path_factory) -> RunFolder:
    return trained(
        tmp_path_factory.mktemp("causal"),
        node("Constant", "scores", fill="constant", shape=(LENGTH, LENGTH), value=-1e9),
        node("triu", "later", diagonal=1),
        node("MultiheadAttention", "look", num_heads=HEADS, batch_first=True, dropout=0.5),
    )


def weights(report: AttentionReport) -> np.ndarray:
    layer = report.layers[report.layer]
    return np.frombuffer(report.weights, np.float32).reshape(-1, layer.columns)


def read(run: RunFolder, text: str, **more: object) -> AttentionReport:
    return ask(ReadAttention(run_folder=str(run.path), texts={"text": text}, **more))


def embedded(run: RunFolder, text: str) -> tuple[nn.Module, torch.Tensor]:
    """Return the model, and what it makes of the tokens of a text alone."""
    training = kept_model(str(run.path), "best").training
    vocabulary = training.data.info.fields[0].vocabulary
    numbers = torch.tensor(vocabulary.encode(text, len(text)))
    with torch.no_grad():
        return training.model, training.model.embed(numbers)


def plain(query: torch.Tensor, key: torch.Tensor) -> np.ndarray:
    """Return softmax(query · key / √d), each token seeing those up to itself."""
    count, width = query.shape
    scores = query.double() @ key.double().T / math.sqrt(width)
    rows = [
        [*scores[row, : row + 1].softmax(dim=0).tolist(), *[0.0] * (count - row - 1)]
        for row in range(count)
    ]
    return np.array(rows)


@pytest.mark.row("S218")
def test_that_each_head_has_the_weights_of_a_plain_computation(run):
    text = "b c\nd"
    model, values = embedded(run, text)
    look = model.look
    with torch.no_grad():
        query, key, _ = (values @ look.in_proj_weight.T + look.in_proj_bias).chunk(3, dim=1)
    size = WIDTH // HEADS
    for head in range(HEADS):
        part = slice(head * size, (head + 1) * size)
        report = read(run, text, head=head)
        # The layer computes in float32 with another order of sums than this in float64.
        np.testing.assert_allclose(
            weights(report), plain(query[:, part], key[:, part]), rtol=1e-5, atol=1e-6
        )
        assert (report.layer, report.head, report.is_causal) == (0, head, True)
    assert not model.training
    assert look.training is False


def test_that_the_tokens_of_the_text_stand_along_both_sides_and_none_that_fills_it_up(run):
    report = read(run, "b c\nd")
    assert report.rows == report.columns == ("b", " ", "c", "\n", "d")
    (layer,) = report.layers
    assert (layer.name, layer.heads, layer.rows, layer.columns) == ("look", HEADS, 5, 5)
    small = np.frombuffer(layer.overview, np.uint8).reshape(HEADS, layer.height, layer.width)
    np.testing.assert_array_equal(small[0], np.rint(weights(report) * 255).astype(np.uint8))
    assert read(run, "xb").rows == ("<unk>", "b")


def test_that_a_long_text_is_read_by_its_last_tokens_as_when_it_is_continued(run):
    assert read(run, "ab c\nde f").rows == tuple("b c\nde f")


def test_that_another_head_than_there_are_is_the_first(run):
    report = read(run, "abc", layer=7, head=70)
    assert (report.layer, report.head) == (0, 0)
    assert report.weights == read(run, "abc").weights


@pytest.mark.row("S218")
def test_that_the_function_has_the_weights_of_a_plain_computation(tmp_path):
    function = node("scaled_dot_product_attention", "look", is_causal=True)
    run = trained(tmp_path, function)
    text = "de f\n"
    _, values = embedded(run, text)
    report = read(run, text)
    np.testing.assert_allclose(weights(report), plain(values, values), rtol=1e-5, atol=1e-6)
    assert (report.layers[0].name, report.layers[0].heads) == ("look", 1)
    assert report.rows == report.columns == tuple(text)


def test_that_what_fills_a_text_up_is_shown_where_a_model_looks_at_it(tmp_path):
    run = trained(tmp_path, node("scaled_dot_product_attention", "look"))
    report = read(run, "de f")
    assert report.rows == tuple("de f")
    assert report.columns == (*"de f", *["<pad>"] * (LENGTH - 4))
    assert not report.is_causal
    np.testing.assert_allclose(weights(report).sum(axis=1), 1, rtol=1e-5)


def translation(length: int, words: int, written: int) -> Graph:
    """Return a model of two texts, each attending to itself before the one that is written attends
    to the other.
    """
    looking = {"num_heads": 2, "batch_first": True}
    nodes = (
        node("Input", "source", field="source", shape=(length,), dtype="int64"),
        node("Input", "previous", field="previous", shape=(length,), dtype="int64"),
        node("Embedding", "embed", num_embeddings=words, embedding_dim=WIDTH),
        node("Embedding", "embed_before", num_embeddings=written, embedding_dim=WIDTH),
        node("MultiheadAttention", "first", **looking),
        node("MultiheadAttention", "second", **looking),
        node("MultiheadAttention", "across", **looking),
        *writing(written),
    )
    return graph_of(
        nodes,
        "source.output -> embed.input",
        "previous.output -> embed_before.input",
        *(f"embed.output -> first.{port}" for port in ("query", "key", "value")),
        *(f"embed_before.output -> second.{port}" for port in ("query", "key", "value")),
        "second.attn_output -> across.query",
        *(f"first.attn_output -> across.{port}" for port in ("key", "value")),
        "across.attn_output -> head.input",
        "head.output -> turn.input",
        "turn.output -> logits.input",
    )


def test_that_texts_of_one_length_stand_where_they_attend(tmp_path):
    _, spec = proposed(KINDS["pairs"], tmp_path)
    infos = {info.name: info for info in load_data(spec.data).info.fields}
    (before,) = (info for info in infos.values() if info.start is not None)
    length = infos["source"].shape[0]
    assert before.shape == (length,), "only then one cannot be taken for the other"
    graph = translation(length, len(infos["source"].words), len(before.words))
    run = make_run(tmp_path, graph, data=spec.data, losses=(TERM,), epochs=1, metrics=())
    assert train(run).problem is None
    text = load_data(spec.data).source.text("source", 0)
    sides = {}
    for layer in range(3):
        request = ReadAttention(run_folder=str(run.path), texts={"source": text}, layer=layer)
        report = ask(request)
        name = report.layers[layer].name
        sides[name] = (report.rows[0], report.columns[0])
    first = infos["source"].vocabulary.tokens(text)[0]
    assert sides == {
        "first": (first, first),
        "second": ("<start>", "<start>"),
        "across": ("<start>", first),
    }


def test_that_a_model_without_attention_is_told(tmp_path):
    run = make_run(tmp_path, epochs=1)
    train(run)
    values = {"features": (1.0, 2.0, 3.0, 4.0)}
    with pytest.raises(DiagnosticError) as told:
        ask(ReadAttention(run_folder=str(run.path), values=values))
    assert told.value.problems[0].code == "R580"


def test_that_a_model_that_attends_is_known_by_its_nodes_and_those_of_its_blocks():
    shown = {
        name: attends(read_template(name).graph)
        for name in ("character-gpt", "lenet", "decoder-rnn")
    }
    assert shown == {"character-gpt": True, "lenet": False, "decoder-rnn": False}


@pytest.mark.row("N20")
def test_that_a_recurrent_layer_is_unrolled_with_the_likeliest_token_after_each_step(tmp_path):
    (tmp_path / "text.txt").write_text("ab c\nde f\n" * 30, encoding="utf-8")
    params = {"path": str(tmp_path / "text.txt"), "length": LENGTH}
    data = DataSpec(source=Choice(type="text", params=params), batch_size=8)
    words = load_data(data).info.fields[0].words
    graph = chain(
        node("Input", "text", field="text", shape=(LENGTH,), dtype="int64"),
        node("Embedding", "embed", num_embeddings=len(words), embedding_dim=WIDTH),
        node("GRU", "steps", hidden_size=5, batch_first=True, bidirectional=True),
        *writing(len(words)),
    )
    run = make_run(tmp_path, graph, data=data, losses=(TERM,), epochs=3, metrics=())
    assert train(run).problem is None
    text, training = "c\nde", kept_model(str(run.path), "best").training
    model, vocabulary = training.model, training.data.info.fields[0].vocabulary
    with torch.no_grad():
        embedded_text = model.embed(torch.tensor([vocabulary.encode(text, LENGTH)]))
        states = model.steps(embedded_text)[0][0, : len(text)]
        likeliest = model.head(states).argmax(dim=1).tolist()
    for direction in range(2):
        report = read(run, text, head=direction)
        (layer,) = report.layers
        assert (layer.name, layer.heads, layer.is_state, layer.columns) == ("steps", 2, True, 5)
        half = states[:, 5 * direction : 5 * (direction + 1)].numpy()
        np.testing.assert_array_equal(weights(report), half)
        assert report.rows == tuple(text)
        assert report.predicted == tuple(words[number] for number in likeliest)
    assert not report.is_causal
