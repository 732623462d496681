"""Reader of Parquet, Feather and Arrow IPC files in a confined process: cells as text.

Pictures, sounds and videos inside of them stay there: their cells say what they are, and how many
there are is told without reading them. It needs pyarrow, without which this module is not imported.
"""

import mmap
import os
from collections.abc import Callable, Iterator
from itertools import islice
from typing import IO, Any, NamedTuple

# No threads: the process is confined while it is alone.
os.environ.setdefault("JE_ARROW_MALLOC_CONF", "background_thread:false")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import pyarrow as pa
from pyarrow import compute, ipc, parquet

from engine.sandbox.answer import UNKNOWN_ENDING, Answer, CellBlock, Cells, Refused

_BLOCK_ROWS = 1 << 16
_PARQUET = b"PAR1"
_DESCRIPTION = b"huggingface"  # a name in the metadata of a file
_LONGEST_DESCRIPTION = 16 << 20
_STREAM = b"\xff\xff\xff\xff"
_SIGN_BYTES = 16
_LOOKED_AT = 16  # files, the first of which may be damaged
_SIGNS = (
    (b"\x89PNG\r\n", "png"),
    (b"\xff\xd8\xff", "jpg"),
    (b"GIF8", "gif"),
    (b"BM", "bmp"),
    (b"II*\0", "tif"),
    (b"MM\0*", "tif"),
    (b"fLaC", "flac"),
    (b"OggS", "ogg"),
    (b"ID3", "mp3"),
    (b"\xff\xfb", "mp3"),
    (b"\xff\xf3", "mp3"),
    (b"\x1aE\xdf\xa3", "mkv"),  # and WebM
)
_RIFF = {b"WEBP": "webp", b"WAVE": "wav", b"AVI ": "avi"}
_ATOM = b"ftyp"
_VIDEO_BRANDS = (b"isom", b"iso", b"mp4", b"avc1", b"M4V", b"qt  ", b"dash", b"MSNV", b"3gp")
"""Of files of the family of MP4, some of which are sounds (``M4A``) or pictures (``avif``)."""


class _Read(NamedTuple):
    """What is read of a file: a table without the columns of files, those columns in its order
    (``contents``) as endings of names, how many rows there are, and the schema of all.
    """

    table: Any
    contents: dict[str, Any]
    total: int
    schema: Any


def read_parquet(
    stream: IO[bytes], sheet: str, most: str, tell: Callable[[int, int], object]
) -> Answer:
    """Return the cells of a table, ``most`` rows of it (0: all); there is one, whatever ``sheet``
    says. ``tell`` hears how many rows are read of how many.
    """
    del sheet
    try:
        return _cells(_read(stream, int(most)), int(most), tell)
    except MemoryError as error:
        return Refused.because("D031", str(error))
    except (pa.ArrowException, OSError, ValueError, KeyError, NotImplementedError) as error:
        return Refused.because("D033", str(error))


def _read(stream: IO[bytes], most: int) -> _Read:
    start = stream.read(4)
    stream.seek(0)
    mapped = mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)
    source = pa.BufferReader(pa.py_buffer(mapped))
    if start == _PARQUET:
        return _of_parquet(parquet.ParquetFile(source, pre_buffer=False), most)
    read = ipc.open_stream if start == _STREAM else ipc.open_file
    whole = read(source).read_all()
    table = whole.slice(0, most) if most else whole
    contents: dict[str, Any] = {}
    for field in table.schema:
        if _holds_bytes(field.type):
            values = _inner(table.column(field.name))
            ending = _ending(value for chunk in values.chunks for value in chunk)
            if ending or pa.types.is_struct(field.type):
                contents[field.name] = _endings(_called("is_valid", values), ending)
    return _Read(table.drop_columns(list(contents)), contents, whole.num_rows, whole.schema)


def _of_parquet(file: Any, most: int) -> _Read:
    """Return the rows of a Parquet file; of pictures as few as tell what they are."""
    schema, metadata = file.schema_arrow, file.metadata
    groups = _first_groups(metadata, most)
    inner = {field.name: _leaf(field) for field in schema if _holds_bytes(field.type)}
    contents: dict[str, Any] = {}
    for name, leaf in inner.items():
        ending = _ending(_values(file, leaf))
        if ending or pa.types.is_struct(schema.field(name).type):
            there = [_are_there(file, group, leaf) for group in groups]
            column = pa.chunked_array(there, pa.bool_())
            contents[name] = _endings(column.slice(0, most) if most else column, ending)
    others = [name for name in schema.names if name not in contents]
    rows = sum(metadata.row_group(group).num_rows for group in groups)
    if others:
        table = file.read_row_groups(groups, columns=others, use_threads=False)
        table = table.select(others)
    else:
        table = pa.table({"": pa.nulls(rows)}).select([])
    return _Read(table.slice(0, most) if most else table, contents, metadata.num_rows, schema)


def _first_groups(metadata: Any, most: int) -> list[int]:
    """Return the row groups that ``most`` rows are in (0: all)."""
    rows, groups = 0, list[int]()
    for group in range(metadata.num_row_groups):
        if most and rows >= most:
            break
        groups.append(group)
        rows += metadata.row_group(group).num_rows
    return groups


def _are_there(file: Any, group: int, leaf: str) -> Any:
    """Return which rows of a group have bytes (bool): by its statistics where these tell it."""
    metadata = file.metadata.row_group(group)
    rows = metadata.num_rows
    for at in range(metadata.num_columns):
        column = metadata.column(at)
        if column.path_in_schema == leaf and column.is_stats_set:
            count = column.statistics.null_count if column.statistics.has_null_count else -1
            if count in (0, rows):
                return pa.array([not count], pa.bool_()).take(pa.array([0] * rows, pa.int64()))
    there = [
        _called("is_valid", _inner(pa.chunked_array([batch.column(0)])))
        for batch in file.iter_batches(64, row_groups=[group], columns=[leaf], use_threads=False)
    ]
    return pa.concat_arrays([chunk for each in there for chunk in each.chunks])


def _values(file: Any, leaf: str) -> Iterator[Any]:
    """Yield the values of a column, a few rows at a time."""
    for batch in file.iter_batches(8, columns=[leaf], use_threads=False):
        yield from _inner(pa.chunked_array([batch.column(0)])).combine_chunks()


def _ending(values: Iterator[Any]) -> str:
    """Return what the names of the files end with, by how one of the first begins; empty for none
    that is known.
    """
    there = (value for value in values if value.is_valid)
    for value in islice(there, _LOOKED_AT):
        start = value.as_buffer()[:_SIGN_BYTES].to_pybytes()
        known = next((ending for sign, ending in _SIGNS if start.startswith(sign)), "")
        if start.startswith(b"RIFF"):
            known = _RIFF.get(start[8:12], "")
        if start[4:8] == _ATOM and start[8:12].startswith(_VIDEO_BRANDS):
            known = "mp4"  # and MOV
        if known:
            return known
    return ""


def _endings(there: Any, ending: str) -> Any:
    return _called("if_else", there, pa.scalar(ending or UNKNOWN_ENDING), pa.scalar(""))


def _cells(read: _Read, most: int, tell: Callable[[int, int], object]) -> Answer:
    names = read.schema.names
    rows = min(read.total, most) if most else read.total
    columns = [
        read.contents[name] if name in read.contents else read.table.column(name) for name in names
    ]
    blocks = list[tuple[CellBlock, ...]]()
    for start in range(0, rows, _BLOCK_ROWS):
        blocks.append(tuple(_block(column.slice(start, _BLOCK_ROWS)) for column in columns))
        tell(min(start + _BLOCK_ROWS, rows), rows)
    return Cells(
        blocks=tuple(blocks),
        width=len(names),
        names=tuple(names),
        is_complete=rows == read.total,
        description=_description(read.schema),
        contents=tuple(read.contents),
    )


def _description(schema: Any) -> str:
    content = (schema.metadata or {}).get(_DESCRIPTION, b"")
    return content.decode("utf-8", "replace") if len(content) <= _LONGEST_DESCRIPTION else ""


def _holds_bytes(kind: Any) -> bool:
    """Return whether values may be files: bytes, or a structure with them as pictures and sounds
    are stored.
    """
    if not pa.types.is_struct(kind):
        return _is_bytes(kind)
    at = kind.get_field_index("bytes")
    return at >= 0 and _is_bytes(kind.field(at).type)


def _is_bytes(kind: Any) -> bool:
    return pa.types.is_binary(kind) or pa.types.is_large_binary(kind)


def _leaf(field: Any) -> str:
    return f"{field.name}.bytes" if pa.types.is_struct(field.type) else field.name


def _inner(column: Any) -> Any:
    """Return the bytes of a column."""
    if not pa.types.is_struct(column.type):
        return column
    option = compute.StructFieldOptions([column.type.get_field_index("bytes")])
    return compute.call_function("struct_field", [column], option)


def _block(column: Any) -> CellBlock:
    """Return a column as text; values that are none (lists, bytes) are missing."""
    kind = column.type
    if pa.types.is_dictionary(kind):
        column = column.cast(kind.value_type)
        kind = column.type
    if pa.types.is_nested(kind) or _is_bytes(kind):
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


def _called(function: str, *values: Any) -> Any:
    return compute.call_function(function, list(values))
