"""Questions about the machine."""

from engine.query.machine.report import Capabilities, Ready
from engine.query.request import Request


class WarmUp(Request[Ready], frozen=True, kw_only=True, tag="WarmUp"):
    """Load torch and what the first analysis needs."""

    answer_type = Ready
    handler = "engine.query.machine.answer.warm_up"


class GetCapabilities(Request[Capabilities], frozen=True, kw_only=True, tag="GetCapabilities"):
    """What the machine has."""

    answer_type = Capabilities
    is_light = True
    handler = "engine.query.machine.answer.capabilities"
