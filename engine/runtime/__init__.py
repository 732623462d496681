"""Starting and following what takes a process: the host, runs, searches, imports.

Loads without torch. Questions to the host stand in :mod:`engine.query`.
"""

from engine.custom.trust import set_trust
from engine.export.report import (
    CheckpointComparison,
    CheckpointContents,
    ExportReport,
    Int8Report,
    Mismatch,
    OptimizerGroup,
    Renaming,
    TensorEntry,
    WeightsReport,
)
from engine.runtime.export_formats import (
    export_formats,
    export_texts,
    is_apart,
    list_formats,
    require_format,
)
from engine.runtime.host.client import HostClient
from engine.runtime.importing.job import Imported, ImportJob, import_model, new_project
from engine.runtime.importing.request import Download, ImportProgress, ImportRequest, InputSize
from engine.runtime.importing.source import ModelClass, model_classes, parse_arguments, parse_inputs
from engine.runtime.queue import work_off
from engine.runtime.remote.program import RemoteReport, look_there
from engine.runtime.run import (
    RunHandle,
    attach_run,
    cluster_spec,
    live_runs,
    make_run_for,
    mode_problems,
    resume_run,
    start_run,
)
from engine.runtime.search import SearchHandle, resume_search, start_search
from engine.runtime.standby import Standby

__all__ = [
    "CheckpointComparison",
    "CheckpointContents",
    "Download",
    "ExportReport",
    "HostClient",
    "ImportJob",
    "ImportProgress",
    "ImportRequest",
    "Imported",
    "InputSize",
    "Int8Report",
    "Mismatch",
    "ModelClass",
    "OptimizerGroup",
    "RemoteReport",
    "Renaming",
    "RunHandle",
    "SearchHandle",
    "Standby",
    "TensorEntry",
    "WeightsReport",
    "attach_run",
    "cluster_spec",
    "export_formats",
    "export_texts",
    "import_model",
    "is_apart",
    "list_formats",
    "live_runs",
    "look_there",
    "make_run_for",
    "mode_problems",
    "model_classes",
    "new_project",
    "parse_arguments",
    "parse_inputs",
    "require_format",
    "resume_run",
    "resume_search",
    "set_trust",
    "start_run",
    "start_search",
    "work_off",
]
