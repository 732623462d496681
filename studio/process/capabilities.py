"""What the computer and this session have told so far."""

from dataclasses import dataclass

from engine.query.machine.request import Capabilities
from studio.process.crash import CrashRecorder


@dataclass
class Machine:
    """What the computer has, once the host process has told it; who records crashes."""

    capabilities: Capabilities | None = None
    recorder: CrashRecorder | None = None

    def devices(self) -> tuple[str, ...]:
        """Return the devices that can be chosen."""
        return self.capabilities.devices if self.capabilities else ("auto", "cpu")
