"""Result of one node."""

import msgspec

from engine.diagnostics import Diagnostic
from engine.shape.execute import Signal


class NodeResult(msgspec.Struct, frozen=True, kw_only=True):
    """What one node does with what arrives. ``findings`` have no node and no name yet; ``names``
    are those of the modules and parameters in a layer of own code, ``absent`` the ports where it
    gives None.
    """

    outputs: dict[str, Signal] = {}
    absent: tuple[str, ...] = ()
    parameters: int = 0
    buffers: int = 0
    names: tuple[str, ...] = ()
    resolved: dict[str, int] = {}
    findings: tuple[Diagnostic, ...] = ()
