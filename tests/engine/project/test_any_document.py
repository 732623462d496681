"""Whatever stands where a project should is read or refused."""

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from engine.diagnostics import DiagnosticError
from engine.graph import codec
from engine.project import document
from engine.spec import codec as spec_codec

plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner),
    max_leaves=25,
)
names = st.sampled_from(
    ["format", "graph", "data", "run", "code", "nodes", "edges", "blocks", "clipboard", "weights"]
)
documents = st.dictionaries(names, plain) | plain


@settings(max_examples=150, deadline=None, derandomize=True, database=None)
@given(documents)
def test_that_any_document_is_read_or_refused(value):
    for read in (codec.from_document, spec_codec.from_document):
        try:
            read(value)
        except DiagnosticError:
            continue


@settings(max_examples=150, deadline=None, derandomize=True, database=None)
@given(st.binary(max_size=200) | documents.map(lambda value: json.dumps(value).encode()))
def test_that_any_bytes_are_a_project_or_refused(data):
    try:
        document.decode(data)
    except DiagnosticError:
        return
