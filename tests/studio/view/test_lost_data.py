"""Data that are not where they were can be located, whichever source reads them."""

import pytest

from engine.data.preview import describe
from engine.diagnostics import DiagnosticError
from engine.graph.model import Graph
from engine.spec.proposal import FILE_READERS, FOLDER_READERS
from engine.spec.run import Choice, DataSpec, RunSpec
from studio.view.problem import lost_path


@pytest.mark.fault("F04")
@pytest.mark.parametrize("kind", sorted({*FILE_READERS, *FOLDER_READERS, "PCAM", "LFWPairs"}))
def test_that_a_missing_file_or_folder_of_each_source_can_be_located(kind, tmp_path):
    missing = tmp_path / ("moved.npz" if kind == "arrays" else "moved")
    data = DataSpec(source=Choice(type=kind, params={"path": str(missing)}))
    with pytest.raises(DiagnosticError) as caught:
        describe(data)
    problem = caught.value.problems[0]
    assert lost_path(problem, RunSpec(data=data), Graph()) == "data.source.path"
