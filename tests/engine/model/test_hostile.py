"""Any document with known types is analysed: no exception, whatever its parameters and wires."""

import ast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.catalog.registry import catalog
from engine.catalog.spec import Entry
from engine.graph.codec import from_document
from engine.model.analysis import Analyser

ANALYSER = Analyser()
ENTRIES = catalog().nodes()

numbers = st.sampled_from([-3, -1, 0, 1, 2, 3, 7, 64, 1000, 10**6, 2**62])
values = st.one_of(
    st.none(), st.booleans(), numbers, st.sampled_from([0.0, 0.5, -1.0, 1e30]),
    st.sampled_from(["auto", "", "same", "valid", "float32", "load", "ab,bc->ac", "'\"\n"]),
    st.lists(numbers, max_size=4),
)  # fmt: skip


@st.composite
def nodes(draw: st.DrawFn, index: int) -> dict[str, object]:
    entry: Entry = draw(st.sampled_from(ENTRIES))
    params = dict(entry.initial_params())
    for spec in entry.params:
        is_slow = spec.name in ("num_layers", "num_encoder_layers", "num_decoder_layers")
        if not is_slow and draw(st.integers(0, 3)) == 0:
            params[spec.name] = draw(values)  # pyright: ignore[reportArgumentType]
    return {"id": f"n{index}", "type": entry.key, "name": f"n{index}", "params": params}


@st.composite
def documents(draw: st.DrawFn) -> dict[str, object]:
    count = draw(st.integers(1, 6))
    made = [draw(nodes(index)) for index in range(count)]
    made.append({"id": "x", "type": "Input", "name": "x", "params": {"shape": [4, 6, 6]}})
    ports = st.sampled_from(
        ["output", "input", "other", "tensors.0", "tensors.1", "query", "key", "h_0", "output.0"]
    )
    ids = st.sampled_from([str(node["id"]) for node in made])
    edges = draw(st.lists(st.tuples(ids, ports, ids, ports), max_size=10))
    wired = [f"{a}.output -> {b}.input" for a, _, b, _ in edges[:5]]
    loose = [f"{a}.{p} -> {b}.{q}" for a, p, b, q in edges[5:]]
    return {"nodes": made, "edges": [*wired, *loose]}


@pytest.mark.fault("B03", "B08")
@given(documents())
@settings(max_examples=60, deadline=None)
def test_that_any_document_is_analysed_without_an_exception(document: dict[str, object]) -> None:
    analysis = ANALYSER.analyse(from_document(document))
    ast.parse(analysis.source)
    assert len(analysis.nodes) == len(from_document(document).nodes)
