"""Repairs of data at which a run ended."""

from engine.data.health.damaged_file import file_repairs
from engine.data.source.registry import load_source
from engine.query.data.request import RepairFile
from engine.query.model.request import Repairs


def repair_file(request: RepairFile) -> Repairs:
    """Return what repairs a finding about one file. Raises what loading the data raises."""
    source = load_source(request.data.source, request.code)
    return Repairs(fixes=(file_repairs(source, request.data, request.problem),))
