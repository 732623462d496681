"""When a run can be certified."""

from studio.run_control.controller import RunController
from studio.session.run_follower import RunUpdate


def can_certify(runs: RunController, update: RunUpdate | None) -> bool:
    """Return whether a run stands still, with a checkpoint to go on from."""
    is_still = runs.is_paused or not runs.is_running
    return update is not None and is_still and bool(update.state.checkpoints)
