"""Count of how often a run went back because its loss or gradients were not finite."""

from typing_extensions import override

from engine.train.technique.base import Technique

MOST_ROLLBACKS = 5
"""After so many in a run, at a 32nd of its learning rate, the rate is not to blame."""


class RollingBack(Technique):
    """Counts in ``count`` how often the learning rate was halved: a checkpoint holds the rates and
    how often they were halved together, so that no kill can part them. ``step`` is where the run
    went back to last, -1 where it never did.
    """

    def __init__(self) -> None:
        self.count = 0
        self.step = -1

    @override
    def state_dict(self) -> dict[str, object]:
        return {"count": self.count, "step": self.step}

    @override
    def load_state_dict(self, state: dict[str, object]) -> None:
        count, step = state["count"], state["step"]
        if not isinstance(count, int) or not isinstance(step, int):
            raise TypeError(state)
        self.count, self.step = count, step
