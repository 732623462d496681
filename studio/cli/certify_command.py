"""The option ``--certify`` of the command that trains."""

import sys
from argparse import Namespace
from datetime import UTC, datetime

import msgspec

from engine.runs.certificate import FEWEST_STEPS, MOST_STEPS, Certificate, Difference
from engine.runs.folder import RunFolder
from engine.runtime.certify import Certification
from studio.cli.interrupt import Interrupts
from studio.cli.output import amount, in_words, number, write, write_error
from studio.cli.parser import UsageError
from studio.cli.progress import CertificateLine
from studio.cli.trusting import trust_run
from studio.cli.wording import said


def require_certain(options: Namespace) -> None:
    """Raise :class:`UsageError` where it is not clear what is to be certified."""
    if options.certify is None:
        if options.run:
            raise UsageError(said("--run requires --certify"))
        return
    if not FEWEST_STEPS <= options.certify <= MOST_STEPS:
        known = f"{FEWEST_STEPS} to {MOST_STEPS}"
        raise UsageError(
            said(
                "--certify {certify}: expected a number from {known}",
                certify=options.certify,
                known=known,
            )
        )
    if options.folds is not None or options.seeds is not None:
        raise UsageError(said("--certify is for one run; omit --folds and --seeds"))
    if options.run and options.resume:
        raise UsageError(said("--run certifies without training; omit --resume"))


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
        write_error(said("the certificate was canceled; the run is as it was"))
    return found


def write_certificate(run: str, found: Certificate) -> None:
    """Write what was found, for people."""
    if found.difference is None:
        counted = ", ".join(f"{part} {count}" for part, count in found.values.items() if count)
        write(
            said(
                "{run} certified: the {count} {count|step|steps} after a resume at step {resumed} "
                "{count|is|are} equal bit for bit ({values} values)",
                run=run,
                count=amount(found.steps),
                resumed=found.resumed,
                values=counted,
            )
        )
    else:
        one = found.difference
        write(
            said(
                "{run} not certified: {part} “{name}” differs in step {step}{size}",
                run=run,
                part=one.part,
                name=one.name,
                step=one.step,
                size=_size(one),
            )
        )
        if found.reason is not None:
            write(f"  {in_words(found.reason)}")
    at = datetime.fromtimestamp(found.time, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    versions = ", ".join(f"{name} {version}" for name, version in found.versions.items() if version)
    place = said(
        "{device}, {processes} processes, {workers} workers, {system}",
        device=found.device,
        processes=found.processes,
        workers=found.workers,
        system=found.system,
    )
    start = said("from {checkpoint} (step {step})", checkpoint=found.checkpoint, step=found.first)
    write(f"  {start}; {at}; {place}; {versions}")


def certificate_document(found: Certificate) -> dict[str, object]:
    """Return what was found, for JSON."""
    document: dict[str, object] = msgspec.to_builtins(found)
    reason = None if found.reason is None else in_words(found.reason)
    return document | {"equal": found.is_equal, "steps": found.steps, "reason": reason}


def _size(difference: Difference) -> str:
    if difference.amount is None:
        return ""
    return said(
        " by up to {amount}, in {elements} of {whole} numbers",
        amount=number(difference.amount),
        elements=difference.elements,
        whole=difference.of,
    )
