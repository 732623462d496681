"""Models of ``torch.export`` (.pt2) as editable graphs, with their weights."""

from pathlib import Path
from typing import NamedTuple

import torch
from torch import Tensor, nn

from engine.catalog.code.offered import disallowed_syntax
from engine.custom.trust import set_trust
from engine.graph.model import Graph
from engine.importer.archive import MAXIMUM_NODES, read_exported, refused
from engine.importer.call import RefusedOperationError, UnknownOperationError
from engine.importer.exported import ExportedReader, FixedBatchError
from engine.importer.hierarchy import graph_of
from engine.importer.module import require_same_keys, with_tied_weights
from engine.importer.program import program_of
from engine.importer.rehearsal import (
    LARGEST_BYTES,
    TooLargeError,
    TooLongError,
    WrittenWeightError,
)
from engine.importer.trace import Trace
from engine.model.module import to_module


class ExportedModel(NamedTuple):
    """A graph; the program that it was made of, with its weights; inputs that it takes; the mode
    that it was exported in; the weights that it never reads, which are left out; and the tensors
    that were none of its weights and are now.
    """

    graph: Graph
    module: nn.Module
    inputs: list[Tensor]
    mode: str
    unread: tuple[str, ...] = ()
    added: tuple[str, ...] = ()


def from_exported(path: Path) -> ExportedModel:
    """Return the model in a file of ``torch.export.save``. Nothing in the file is run but
    operations of PyTorch.

    Raises :class:`DiagnosticError`: I030 to I034, I039, I056 and I057 with what is wrong with the
    file, I0xx with what has no counterpart on the canvas.
    """
    reader, trace = _read(path)
    graph = graph_of(trace)
    foreign = disallowed_syntax(graph.code)
    if foreign:
        raise refused("I039", path, operation=foreign)
    set_trust(graph.code, trusted=True)  # it was written here, and calls operations of PyTorch
    with torch.device("meta"):
        built = to_module(graph)
    require_same_keys(built, reader.module)
    graph = with_tied_weights(graph, reader.module)
    mode = "training" if reader.is_training else "evaluation"
    left_out, added = tuple(reader.unread), tuple(reader.added)
    return ExportedModel(graph, reader.module, reader.examples(), mode, left_out, added)


def _read(path: Path) -> tuple[ExportedReader, Trace]:
    """Return what a file holds, and its operations: rehearsed, none of them is carried out yet."""
    exported = read_exported(path)
    try:
        reader = ExportedReader(exported, program_of(exported))
        return reader, reader.trace()
    except UnknownOperationError as error:
        raise refused("I033", path, operation=str(error)) from error
    except RefusedOperationError as error:
        raise refused("I039", path, operation=str(error)) from error
    except WrittenWeightError as error:
        operation, module = error.args
        raise refused("I008", path, operation=operation, place=module) from error
    except TooLargeError as error:
        raise refused("I056", path, limit=str(LARGEST_BYTES >> 30)) from error
    except TooLongError as error:
        raise refused("I057", path, limit=f"{MAXIMUM_NODES:,}") from error
    except FixedBatchError as error:
        raise refused("I034", path, operation=str(error)) from error
    except Exception as error:  # a damaged program raises what PyTorch raises
        raise refused("I031", path, f"{type(error).__name__}: {error}") from error
