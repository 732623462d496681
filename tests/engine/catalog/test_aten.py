"""The operations of ATen that a file of a stranger may call."""

import pytest
import torch

from engine.catalog.aten import OPERATIONS, is_offered
from engine.catalog.registry import catalog
from engine.catalog.spec import EntryGroup
from engine.importer.call import RefusedOperationError, target_of


@pytest.mark.fault("S02")
def test_that_no_operation_that_takes_a_file_or_writes_elsewhere_is_offered() -> None:
    for name in OPERATIONS:
        for overload in getattr(torch.ops.aten, name).overloads():
            try:
                _, target = target_of(f"torch.ops.aten.{name}.{overload}")
            except RefusedOperationError:
                continue
            schema = getattr(target, "_schema")  # noqa: B009 - it has no public name
            names = {argument.name for argument in schema.arguments}
            assert not names & {"filename", "file", "out", "storage", "stream"}, name
            assert not any(argument.is_out for argument in schema.arguments), name


def test_that_every_name_of_the_list_is_an_operation_that_can_be_called() -> None:
    for name in OPERATIONS:
        overloads = getattr(torch.ops.aten, name).overloads()
        assert any(_is_called(f"torch.ops.aten.{name}.{overload}") for overload in overloads), name


def _is_called(text: str) -> bool:
    try:
        target_of(text)
    except RefusedOperationError:
        return False
    return True


def test_that_what_the_canvas_calls_is_offered() -> None:
    """A model that was made here and exported can come back."""
    for entry in catalog().group(EntryGroup.OPERATOR):
        name = entry.target.rpartition(":")[2].rpartition(".")[2]
        if entry.target.startswith("torch.") and hasattr(torch.ops.aten, name):
            assert is_offered(name), entry.key
