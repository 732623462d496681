"""The option ``--certify`` of the command that trains."""

import sys
from argparse import Namespace
from datetime import UTC, datetime

import msgspec

from engine.runs.certificate import Certificate, Difference
from engine.runs.folder import RunFolder
from engine.runtime.certify import Certification
from studio.cli.interrupt import Interrupts
from studio.cli.output import amount, in_words, number, write, write_error
from studio.cli.progress import CertificateLine
from studio.cli.trusting import trust_run


def certify(run: RunFolder, options: Namespace) -> Certificate | None:
    """Certify the steps after a resume of a run; None after an interrupt, which is told. Raises
    :class:`DiagnosticError` as :meth:`~engine.runtime.certify.Certification.run` does.
    """
    certification = Certification(run, options.certify, trusted=trust_run(run, options))
    line = None if options.quiet or options.json else CertificateLine(sys.stderr)
    with Interrupts() as interrupts:
        interrupts.hold()

        def tell(done: int, whole: int) -> None:
            if interrupts.count:
                certification.cancel()
            if line is not None:
                line.show(done, whole)

        try:
            found = certification.run(tell)
        finally:
            if line is not None:
                line.close()
    if found is None:
        write_error("the certificate was canceled; the run is as it was")
    return found


def write_certificate(run: str, found: Certificate) -> None:
    """Write what was found, for people."""
    span = f"{amount(found.steps, 'step')} after a resume at step {found.resumed}"
    if found.difference is None:
        counted = ", ".join(f"{part} {count}" for part, count in found.values.items() if count)
        are = "is" if found.steps == 1 else "are"
        write(f"{run} certified: the {span} {are} equal bit for bit ({counted} values)")
    else:
        one = found.difference
        value = f"{one.part} “{one.name}”"
        write(f"{run} not certified: {value} differs in step {one.step}{_size(one)}")
        if found.reason is not None:
            write(f"  {in_words(found.reason)}")
    at = datetime.fromtimestamp(found.time, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    versions = ", ".join(f"{name} {version}" for name, version in found.versions.items() if version)
    place = f"{found.device}, {found.processes} processes, {found.workers} workers, {found.system}"
    write(f"  from {found.checkpoint} (step {found.first}); {at}; {place}; {versions}")


def certificate_document(found: Certificate) -> dict[str, object]:
    """Return what was found, for JSON."""
    document: dict[str, object] = msgspec.to_builtins(found)
    reason = None if found.reason is None else in_words(found.reason)
    return document | {"equal": found.is_equal, "steps": found.steps, "reason": reason}


def _size(difference: Difference) -> str:
    if difference.amount is None:
        return ""
    places = f"{difference.elements} of {difference.of} numbers"
    return f" by up to {number(difference.amount)}, in {places}"
