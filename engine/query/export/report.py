"""Report of a file that was written, as plain values."""

import msgspec


class SavedTensor(msgspec.Struct, frozen=True, kw_only=True):
    """A tensor was written to a file."""

    file: str
