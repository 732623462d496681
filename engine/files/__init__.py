"""Files: read bounded, written whole or not at all, never outside the folder they belong to."""

from engine.files.confine import (
    confined,
    confined_file,
    is_link,
    is_relative_path,
    private_folder,
    require_no_links,
)
from engine.files.failure import describe_os_error
from engine.files.read import (
    DOCUMENT_BYTES,
    NOTE_BYTES,
    UNDECODABLE,
    NoFileError,
    TooLargeError,
    has_too_many_values,
    open_file,
    read_file,
    read_json,
    require_memory,
)
from engine.files.write import (
    FileWriteError,
    WriteTarget,
    atomic_write,
    copy_file,
    open_append,
    remove_file,
    remove_stale_temporaries,
    require_room,
    sha256,
)

__all__ = [
    "DOCUMENT_BYTES",
    "NOTE_BYTES",
    "UNDECODABLE",
    "FileWriteError",
    "NoFileError",
    "TooLargeError",
    "WriteTarget",
    "atomic_write",
    "confined",
    "confined_file",
    "copy_file",
    "describe_os_error",
    "has_too_many_values",
    "is_link",
    "is_relative_path",
    "open_append",
    "open_file",
    "private_folder",
    "read_file",
    "read_json",
    "remove_file",
    "remove_stale_temporaries",
    "require_memory",
    "require_no_links",
    "require_room",
    "sha256",
]
