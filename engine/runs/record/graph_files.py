"""Captured autograd graphs among the artefacts of a run: one file a step, the newest are kept."""

from engine.runs.record.autograd_graph import AutogradGraph, require_sound
from engine.runs.record.step_files import StepFiles

KEPT = 20
_graphs = StepFiles(
    AutogradGraph,
    "autograd",
    ending="graph",
    kept=KEPT,
    unreadable="A002",
    check=require_sound,
)
write_graph = _graphs.write
graph_files = _graphs.files
read_graph = _graphs.read
step_of = _graphs.step
