"""Which function of the door answers which request."""

from pathlib import Path
from typing import assert_never

import msgspec

from engine.runtime import door
from engine.runtime.protocol import (
    Analyse,
    AnyRequest,
    Check,
    CompareCheckpoint,
    DescribeData,
    Evaluate,
    Export,
    GetCapabilities,
    GetSource,
    PreviewData,
    PreviewLr,
    ReadCheckpoint,
    WarmUp,
)


def answer(request: AnyRequest) -> msgspec.Struct:  # noqa: C901, PLR0911  # one line a request
    """Return the answer to a request. Raises :class:`DiagnosticError`, or whatever torch raises."""
    match request:
        case WarmUp():
            return door.warm_up()
        case GetCapabilities():
            return door.capabilities()
        case Analyse():
            return door.analyse(request.graph)
        case Check():
            return door.check(request.graph, request.spec)
        case GetSource():
            return door.source(request.graph)
        case DescribeData():
            return door.describe_data(request.data)
        case PreviewData():
            return door.preview_data(request.data, request.split, request.start, request.count)
        case PreviewLr():
            return door.lr_preview(request.spec, request.steps_per_epoch)
        case Evaluate():
            return door.evaluate(Path(request.run_folder), request.checkpoint, request.split)
        case Export():
            return door.export(
                Path(request.run_folder),
                request.format,
                Path(request.output),
                request.checkpoint,
                overwrite=request.overwrite,
            )
        case ReadCheckpoint():
            return door.read_checkpoint(Path(request.file))
        case CompareCheckpoint():
            return door.compare_checkpoint(Path(request.file), request.graph)
    assert_never(request)
