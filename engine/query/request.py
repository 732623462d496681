"""Declaration of a question to the host process."""

from typing import Any, ClassVar, Generic, Literal, TypeVar, get_args

import msgspec
from typing_extensions import get_original_bases

Split = Literal["train", "validation", "test"]
Answer = TypeVar("Answer")


class Request(
    msgspec.Struct, Generic[Answer], frozen=True, kw_only=True, tag_field="type", tag=True
):
    """A question to the host process, declared here and nowhere else.

    ``answer_type`` is what comes back, taken from the argument of the base class; ``handler`` the
    dotted name of the function that takes the request and returns that. ``is_slow`` sends it to the
    second lane, so that it does not hold up the checking of shapes; a newer request takes the place
    of one that still waits where ``supersedes`` is set; one that ``is_light`` needs PyTorch and
    nothing else that takes seconds to load. ``custom_code`` tells whose custom code may have to run
    for it: that of its ``graph``, of the run at its ``run_folder``, its ``code``, or that which has
    the data of the runs at its ``run_folders``; ``trusted`` says that the user trusts all of that
    code: without it none of it runs.
    """

    trusted: bool = False
    answer_type: ClassVar[type]
    handler: ClassVar[str]
    custom_code: ClassVar[Literal["none", "graph", "run", "runs", "texts"]] = "none"
    is_slow: ClassVar[bool] = False
    is_light: ClassVar[bool] = False
    supersedes: ClassVar[bool] = False

    def __init_subclass__(cls, **options: Any) -> None:
        """Take the type of the answer from the base class: ``Request[Answer]``."""
        super().__init_subclass__(**options)
        for answer in get_args(get_original_bases(cls)[0]):
            cls.answer_type = answer
