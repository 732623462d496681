"""Watcher that profiles steps on request; the trace goes to the artefacts."""

import tempfile
from pathlib import Path

from torch.profiler import profile

from engine.diagnostics import DiagnosticError
from engine.events import ProfileTaken
from engine.files import atomic_write, describe_os_error, remove_file, require_no_links
from engine.inspect.node_path import NodePaths
from engine.inspect.probe import Probe
from engine.inspect.profile_observer import ProfileObserver
from engine.train.report import Reporter

_KEPT = 3
_MOST_STEPS = 100


class ProfileWatcher:
    """Profiles the next steps and records the report."""

    def __init__(
        self, probe: Probe, node_paths: NodePaths, reporter: Reporter, artefacts: Path
    ) -> None:
        self._probe = probe
        self._node_paths = node_paths
        self._reporter = reporter
        self._artefacts = artefacts
        self._observer: ProfileObserver | None = None

    def handle(self, count: int) -> None:
        """Profile ``count`` steps, besides those in ``PROFILE_EXTRA``."""
        if self._observer is None:
            steps = min(max(count, 1), _MOST_STEPS)
            clock = self._reporter.clock.elapsed_s
            self._observer = ProfileObserver(self._node_paths, steps, clock)
            self._probe.add(self._observer)

    def step_done(self, step: int) -> None:
        """Record the report when all steps are done.

        Raises :class:`DiagnosticError` when the trace cannot be written.
        """
        observer = self._observer
        if observer is None or not observer.is_done:
            return
        self._observer = None
        path = self._write(observer.trace, step)
        taken = ProfileTaken(
            step=step, report=observer.report, file=path.relative_to(self._artefacts).as_posix()
        )
        self._reporter.append(taken)

    def _write(self, trace: profile, step: int) -> Path:
        folder = self._artefacts / "profile"
        path = folder / f"{step:09d}.json"
        require_no_links(self._artefacts, (folder.name,))
        try:
            folder.mkdir(exist_ok=True)
            with tempfile.TemporaryDirectory(dir=folder) as scratch:
                written = Path(scratch) / "trace.json"
                trace.export_chrome_trace(str(written))
                atomic_write(path, written.read_bytes())
        except OSError as error:
            raise DiagnosticError(describe_os_error(error, path, "write")) from error
        for old in sorted(folder.glob("*.json"))[:-_KEPT]:
            remove_file(old)
        return path
