"""Process group that this process is started in, or the world of a single one."""

import os
from pathlib import Path

from engine.runs.process.agent import agent
from engine.train.ranks.world import ALONE, Group, World


def join(folder: Path, patience_s: float, *, sharded: bool = False) -> World:
    """Join the group of processes that this one was started in, where there is one, and return
    it. A collective that takes longer than ``patience_s`` fails. ``sharded``: each rank has a part
    of the weights.
    """
    starter = agent()
    if starter is None or int(os.environ.get("WORLD_SIZE", "1")) == 1:
        return ALONE
    if not sharded:
        return Group(folder, starter, patience_s)
    from engine.train.ranks.sharding import ShardedGroup  # takes half a second, only where needed

    return ShardedGroup(folder, starter, patience_s)
