"""What a file begins and ends with, by which one of COCO is told, whole or damaged."""

import re
from pathlib import Path

import msgspec

from engine.data.read.captions import file_ends, has_no_boxes
from engine.decoding import decode_json
from engine.files import UNDECODABLE, TooLargeError, read_file

_MOST_BYTES = 256 << 20  # of a file that is read to see whether it is whole
_KEYS = (b'"images"', b'"annotations"', b'"categories"')
_LEAST_KEYS = 2
_LIST = re.compile(rb'"(images|annotations|categories)"\s*:\s*\[')
_NAMED = "instances"  # what the files are called as a rule


def is_coco(file: Path) -> bool:
    """Return whether a file is one of COCO with boxes, by what it begins and ends with; or begins
    as one (of those that are called so, without a word at all) and is no whole JSON: whoever reads
    it says that it is damaged.
    """
    parts = file_ends(file)
    if has_no_boxes(parts):
        return False
    if sum(any(key in part for part in parts) for key in _KEYS) >= _LEAST_KEYS:
        return True
    head = parts[0].removeprefix(b"\xef\xbb\xbf").lstrip()
    begins_so = head.startswith(b"{") and _LIST.search(head) is not None
    return (begins_so or _NAMED in file.stem.lower()) and not _is_whole(file)


def _is_whole(file: Path) -> bool:
    """Return whether a file is JSON to its end; of a large one, whether it ends as one."""
    try:
        decode_json(read_file(file, _MOST_BYTES).removeprefix(b"\xef\xbb\xbf"), msgspec.Raw)
    except TooLargeError:
        return file_ends(file)[1].rstrip().endswith(b"}")
    except (OSError, ValueError, *UNDECODABLE):
        return False
    return True
