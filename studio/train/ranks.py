"""Ranks of a run in words: whether their weights are equal, and how each of them does."""

from dataclasses import dataclass

from engine.runs.record.state import RunState
from studio.i18n import translate
from studio.view.wording import metric_text


@dataclass(frozen=True, kw_only=True)
class RanksView:
    """An empty ``text``: the run has one process. ``rows`` has a line for each process."""

    text: str = ""
    is_equal: bool = True
    rows: tuple[str, ...] = ()


def present_ranks(state: RunState | None) -> RanksView:
    """Return the last comparison of the processes of a run."""
    told = state.ranks if state is not None else None
    if told is None or not told.ranks:  # a record of somebody else may name no rank
        return RanksView()
    if told.is_sharded:
        text = translate("Ranks", "Weights sharded across {count} processes, step {step}")
    elif told.is_equal:
        text = translate("Ranks", "Weights equal in {count} processes at step {step} ({checksum})")
    else:
        text = translate("Ranks", "Weights differ between {count} processes at step {step}")
    row = translate(
        "Ranks",
        "rank {rank}: loss {loss}, {speed} samples/s, waits {wait} ms per step ({checksum})",
    )
    if told.is_sharded:
        row = translate(
            "Ranks", "rank {rank}: loss {loss}, {speed} samples/s, waits {wait} ms per step"
        )
    return RanksView(
        text=text.format(
            count=len(told.ranks), step=told.step, checksum=f"{told.ranks[0].checksum:08x}"
        ),
        is_equal=told.is_equal,
        rows=tuple(
            row.format(
                rank=rank,
                loss=metric_text(share.loss),
                speed=f"{share.samples_per_s:,.0f}",
                wait=f"{share.waited_ms:.1f}",
                checksum=f"{share.checksum:08x}",
            )
            for rank, share in enumerate(told.ranks)
        ),
    )
