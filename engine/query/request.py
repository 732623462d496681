"""What every question to the host process has."""

from typing import ClassVar, Generic, Literal, TypeVar

import msgspec

Split = Literal["train", "validation", "test"]
Answer = TypeVar("Answer")


class Request(msgspec.Struct, Generic[Answer], frozen=True, kw_only=True, tag_field="type"):
    """A question to the host. ``answer_type`` is what comes back; ``is_slow`` sends it to the
    second lane, so that it does not hold up the checking of shapes; a newer request takes the place
    of one that still waits where ``supersedes`` is set. ``trusted`` says that the user trusts the
    own code of the graph, or of the run, that is asked about: without it none of that code runs.
    """

    trusted: bool = False
    answer_type: ClassVar[type]
    is_slow: ClassVar[bool] = False
    supersedes: ClassVar[bool] = False
