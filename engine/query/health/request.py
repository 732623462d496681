"""Question about the health of data."""

import msgspec

from engine.query.request import Request
from engine.spec.health import HealthReport
from engine.spec.run import DataSpec


class HealthStep(msgspec.Struct, frozen=True, kw_only=True):
    """How far a check is, in samples; the report when it is done."""

    done: int
    total: int
    report: HealthReport | None = None


class CheckDataHealth(Request[HealthStep], frozen=True, kw_only=True):
    """Go on with the check of data, for about ``seconds``; ask again until the report comes.
    One that nobody asks for any more goes on where it was when the same is asked.

    Label errors are looked for with the models that runs of the ``project`` trained on the data;
    ``code`` is that of the user, for data and models. ``is_weighted`` says that the loss makes up
    for rare classes.
    """

    data: DataSpec
    project: str = ""
    code: dict[str, str] = msgspec.field(default_factory=dict)
    is_weighted: bool = False
    seconds: float = 0.25

    handler = "engine.query.health.answer.check_data_health"
    custom_code = "texts"
    is_slow = True
    supersedes = True
