"""Description of the edits of data as plain values: what they do, and what they name in vain."""

import msgspec

from engine.spec.data_version import DataVersion


class EditsInfo(msgspec.Struct, frozen=True, kw_only=True):
    """Edits that hold for the data. ``samples`` were edited, of which ``excluded``, ``relabelled``,
    ``moved`` and ``tagged`` count each kind; ``missing`` are the first names that are not there,
    ``others`` counts edits of other data. ``classes`` are those that a label may be, ``example``
    is the name of a sample.
    """

    version: DataVersion
    samples: int = 0
    excluded: int = 0
    relabelled: int = 0
    moved: int = 0
    tagged: int = 0
    others: int = 0
    missing: tuple[str, ...] = ()
    classes: tuple[str, ...] = ()
    example: str = ""
