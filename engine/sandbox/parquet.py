"""Reader of Parquet, Feather and Arrow IPC files in a confined process: cells as text.

It needs pyarrow, without which this module is not imported.
"""

import os
from collections.abc import Callable
from typing import IO, Any

# No threads: the process is confined while it is alone.
os.environ.setdefault("JE_ARROW_MALLOC_CONF", "background_thread:false")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import pyarrow as pa
from pyarrow import compute, ipc, parquet

from engine.sandbox.answer import Answer, CellBlock, Cells, Refused

_BLOCK_ROWS = 1 << 16
_PARQUET = b"PAR1"
_DESCRIPTION = b"huggingface"  # a name in the metadata of a file
_LONGEST_DESCRIPTION = 16 << 20
_STREAM = b"\xff\xff\xff\xff"


def read_parquet(
    stream: IO[bytes], sheet: str, most: str, tell: Callable[[int, int], object]
) -> Answer:
    """Return the cells of a table, ``most`` rows of it (0: all); there is one, whatever ``sheet``
    says. ``tell`` hears how many rows are read of how many.
    """
    del sheet
    try:
        return _cells(_table(stream), int(most), tell)
    except MemoryError as error:
        return Refused.because("D031", str(error))
    except (pa.ArrowException, OSError, ValueError, KeyError, NotImplementedError) as error:
        return Refused.because("D033", str(error))


def _table(stream: IO[bytes]) -> Any:
    start = stream.read(4)
    stream.seek(0)
    buffer = pa.py_buffer(stream.read())
    source = pa.BufferReader(buffer)
    if start == _PARQUET:
        return parquet.read_table(source, use_threads=False, pre_buffer=False)
    read = ipc.open_stream if start == _STREAM else ipc.open_file
    return read(source).read_all()


def _cells(table: Any, most: int, tell: Callable[[int, int], object]) -> Answer:
    total = table.num_rows
    table = table.slice(0, most) if most else table
    blocks = list[tuple[CellBlock, ...]]()
    for start in range(0, table.num_rows, _BLOCK_ROWS):
        blocks.append(tuple(map(_block, table.slice(start, _BLOCK_ROWS).columns)))
        tell(min(start + _BLOCK_ROWS, table.num_rows), table.num_rows)
    return Cells(
        blocks=tuple(blocks),
        width=table.num_columns,
        names=tuple(table.column_names),
        is_complete=table.num_rows == total,
        description=_description(table.schema),
        contents=tuple(each.name for each in table.schema if _has_files(each.type)),
    )


def _description(schema: Any) -> str:
    content = (schema.metadata or {}).get(_DESCRIPTION, b"")
    return content.decode("utf-8", "replace") if len(content) <= _LONGEST_DESCRIPTION else ""


def _has_files(kind: Any) -> bool:
    """Return whether values are files with their bytes, as pictures and sounds are stored."""
    if not pa.types.is_struct(kind):
        return False
    at = kind.get_field_index("bytes")
    return at >= 0 and _is_bytes(kind.field(at).type)


def _is_bytes(kind: Any) -> bool:
    return pa.types.is_binary(kind) or pa.types.is_large_binary(kind)


def _block(column: Any) -> CellBlock:
    """Return a column as text; values that are none (lists, bytes) are missing."""
    kind = column.type
    if pa.types.is_dictionary(kind):
        column = column.cast(kind.value_type)
        kind = column.type
    if pa.types.is_nested(kind) or pa.types.is_binary(kind):
        column = pa.chunked_array([pa.nulls(len(column), pa.large_string())])
    text = column.cast(pa.large_string())
    filled = _called("utf8_trim_whitespace", compute.fill_null(text, ""))
    lengths = _called("binary_length", filled).cast(pa.int32())
    whole = pa.concat_arrays(filled.chunks)
    _, offsets, content = whole.buffers()
    first, last = (
        int.from_bytes(offsets[8 * at : 8 * at + 8].to_pybytes(), "little")
        for at in (whole.offset, whole.offset + len(whole))
    )
    sizes = pa.concat_arrays(lengths.chunks)
    raw = sizes.buffers()[1].to_pybytes()[4 * sizes.offset : 4 * (sizes.offset + len(sizes))]
    return CellBlock(content.to_pybytes()[first:last] if content is not None else b"", raw)


def _called(function: str, column: Any) -> Any:
    return compute.call_function(function, [column])
