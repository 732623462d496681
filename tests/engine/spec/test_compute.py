"""Settings of precision and speed by name."""

import pytest

from engine.diagnostics import DiagnosticError
from engine.spec.codec import from_document, to_document
from engine.spec.fields import get_value, set_text
from engine.spec.run import ComputeSpec, RunSpec


@pytest.mark.row("S252")
@pytest.mark.parametrize("text", ["0", "0,3", "3, 1", ""])
def test_that_a_list_of_gpus_is_taken(text):
    assert get_value(set_text(RunSpec(), "compute.gpus", text), "compute.gpus") == text


@pytest.mark.parametrize("text", ["0,0", "cuda:1", "-1", "0,", "1;2"])
def test_that_what_is_no_list_of_gpus_is_refused(text):
    with pytest.raises(DiagnosticError) as refusal:
        set_text(RunSpec(), "compute.gpus", text)
    assert (refusal.value.problems[0].code, refusal.value.problems[0].field) == (
        "R180",
        "compute.gpus",
    )


def test_that_documents_without_switches_stay_as_they_were():
    assert "compute" not in to_document(RunSpec())["run"]


def test_that_switches_survive_a_document():
    spec = RunSpec(compute=ComputeSpec(precision="bfloat16", gpus="0,3", memory_limit=0.5))
    assert from_document(to_document(spec)) == spec
