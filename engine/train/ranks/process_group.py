"""Where the processes of a run come together."""

import os
from pathlib import Path

from engine.runs.process.agent import agent
from engine.train.ranks.world import ALONE, Group, World


def join(folder: Path, patience_s: float, *, sharded: bool = False) -> World:
    """Return the group of processes that this one was started in, or a world of its own. A
    collective that takes longer than ``patience_s`` fails. ``sharded``: each has a part of the
    weights.
    """
    starter = agent()
    if starter is None or int(os.environ.get("WORLD_SIZE", "1")) == 1:
        return ALONE
    if not sharded:
        return Group(folder, starter, patience_s)
    from engine.train.ranks.sharding import ShardedGroup  # half a second that others need not wait

    return ShardedGroup(folder, starter, patience_s)
