"""Watcher that samples statistics of layers as often as the limit of its cost allows."""

from collections.abc import Callable
from time import perf_counter

from engine.events import WatchingChanged
from engine.inspect.probe import Probe
from engine.inspect.statistics_observer import StatisticsObserver
from engine.spec.run import WatchSpec
from engine.train.report import Reporter
from engine.train.watch.overhead import Overhead


class StatisticsWatcher:
    """Samples statistics of a step now and then, the first one too, and measures what all watching
    costs.
    """

    def __init__(
        self,
        probe: Probe,
        reporter: Reporter,
        spec: WatchSpec,
        clock: Callable[[], float] = perf_counter,
    ) -> None:
        self._probe = probe
        self._clock = clock
        self._reporter = reporter
        self._is_on = spec.statistics
        self._overhead = Overhead(spec.limit, spec.every_steps)
        self._observer: StatisticsObserver | None = None
        self._estimate = 0.0
        self._observe_if_due(clock())

    @property
    def is_on(self) -> bool:
        """Whether statistics are taken."""
        return self._is_on

    @property
    def limit(self) -> float:
        """The share of the time that statistics may take, from the next sample on."""
        return self._overhead.limit

    @limit.setter
    def limit(self, limit: float) -> None:
        self._overhead.limit = limit

    def change(self, settings: WatchingChanged) -> None:
        """Apply other settings from the next step on."""
        self._is_on = settings.statistics
        self._overhead.change(settings.limit, settings.every_steps)
        self._reporter.watching, self._reporter.is_throttled = 0.0, False

    def finish(self, step: int) -> bool:
        """Record the statistics of a step; return whether some were sampled in it."""
        observer, self._observer = self._observer, None
        if observer is None:
            return False
        self._probe.remove(observer)
        started = perf_counter()
        sample = observer.sample()
        if sample is not None:
            self._reporter.journal.extend_statistics(step, sample)
        self._estimate = observer.spent_s + perf_counter() - started
        return True

    def step_started(self) -> None:
        """Measure the next step from here."""
        self._overhead.step_started(self._clock())

    def step_done(self, *, sampled: bool, watched: bool, beside: float = 0.0) -> float:
        """Measure a step that is over, with its recording; ``watched`` says whether other watchers
        observed it, ``beside`` how many seconds of it went into watching something else. Return
        the seconds that watching took.
        """
        now = self._clock()
        spent = self._overhead.step_done(
            now, sampled=sampled, watched=watched, beside=beside, estimate=self._estimate
        )
        self._reporter.watching = self._overhead.share
        if sampled or watched or beside:
            self._reporter.is_throttled = self._is_on and self._overhead.is_throttled
        self._observe_if_due(now)
        return spent

    def _observe_if_due(self, now: float) -> None:
        if self._is_on and self._overhead.is_due(now):
            self._observer = StatisticsObserver()
            self._probe.add(self._observer)
