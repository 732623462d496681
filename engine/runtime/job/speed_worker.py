"""The process that measures which settings make a run faster."""

from engine.diagnostics import Diagnostic
from engine.query.speed.request import BenchmarkSpeed, SpeedDone, SpeedFailed
from engine.runtime.job.request_worker import Say, work


def _measure(request: BenchmarkSpeed, say: Say) -> None:
    from engine.custom.trust import set_trust
    from engine.query.speed.answer import measure_speed

    set_trust(request.graph.code, trusted=request.trusted)
    measure_speed(request, say)


def _failed(problems: tuple[Diagnostic, ...]) -> SpeedFailed:
    return SpeedFailed(problems=problems)


if __name__ == "__main__":
    work(BenchmarkSpeed, _measure, done=SpeedDone(), failed=_failed, lost="R188")
