"""The command that serves predictions of a run."""

import queue
import sys
from argparse import Namespace

from engine.diagnostics import DiagnosticError
from engine.runs.folder import find_run
from engine.runtime.service import (
    Serve,
    ServiceFailed,
    ServiceJob,
    ServiceMessage,
    ServiceServed,
    ServiceStage,
    ServiceStarted,
    ServiceStep,
    require_packages,
)
from studio.cli.data_root import take_roots
from studio.cli.export_apart import stage_text
from studio.cli.interrupt import Interrupts
from studio.cli.output import amount, write, write_document, write_error
from studio.cli.parser import UsageError
from studio.cli.progress import StageLine
from studio.cli.run_command import project_folder
from studio.cli.trusting import trust_run
from studio.cli.wording import said

_MOST_PORT = 65535


def serve(options: Namespace) -> int:
    """Serve until it is interrupted, and say then how many requests were answered."""
    take_roots(options)
    _require_fitting(options)
    require_packages()
    run = find_run(project_folder(options.project), options.run)
    request = Serve(
        run_folder=str(run.path),
        checkpoint=options.checkpoint,
        host=options.host,
        port=options.port,
        max_mb=options.max_mb,
        timeout_s=options.timeout,
        hosts=tuple(options.allow_host),
        trusted=trust_run(run, options),
    )
    messages: queue.SimpleQueue[ServiceMessage] = queue.SimpleQueue()
    following = _Following(run.id, options)
    job = ServiceJob(request, messages.put)
    try:
        with Interrupts():
            job.start()
            while True:
                following.hear(messages.get())
    except KeyboardInterrupt:
        if not following.has_started:
            raise
    finally:
        following.close()
        job.close()
    if not options.json:
        write(said("{count} {count|request|requests} answered", count=amount(following.requests)))
    return 0


class _Following:
    """What is told of a service as it goes."""

    def __init__(self, run: str, options: Namespace) -> None:
        self._run = run
        self._options = options
        self._line = StageLine(sys.stderr)
        self.has_started = False
        self.requests = 0

    def close(self) -> None:
        """Take back what is shown for a while."""
        self._line.close()

    def hear(self, message: ServiceMessage) -> None:
        """Take what it says. Raises :class:`DiagnosticError` where it does not answer."""
        match message:
            case ServiceStage(stage=stage):
                self._line.show(_told(stage))
            case ServiceStarted():
                self._line.close()
                self.has_started = True
                self._tell(message)
            case ServiceServed(requests=requests):
                self.requests = requests
            case ServiceFailed(problems=problems):
                raise DiagnosticError(*problems)

    def _tell(self, started: ServiceStarted) -> None:
        if self._options.json:
            found = {"url": started.url, "run": self._run, "checkpoint": started.checkpoint}
            write_document(found)
        else:
            write(
                said(
                    "{run} {checkpoint} answers at {url} (Ctrl+C ends it)",
                    run=self._run,
                    checkpoint=started.checkpoint,
                    url=started.url,
                )
            )
        sys.stdout.flush()


def _require_fitting(options: Namespace) -> None:
    """Raise :class:`UsageError` for numbers that nothing can be limited to."""
    if not 0 <= options.port <= _MOST_PORT:
        text = "--port {port}: expected a number from 0 to 65535"
        raise UsageError(said(text, port=options.port))
    if options.max_mb < 1 or not options.timeout > 0:
        raise UsageError(said("--max-mb and --timeout: expected numbers above 0"))
    if options.host not in ("127.0.0.1", "localhost", "::1"):
        text = "Everyone who reaches {host} can use the service: it has no password."
        write_error(said(text, host=options.host))


def _told(stage: ServiceStep) -> str:
    return said("starting the service") if stage == "start" else stage_text(stage)
