"""Certificate of a run, in words."""

from collections.abc import Sequence
from datetime import datetime

from engine.diagnostics import sentence
from engine.runs.certificate import Certificate, Difference
from engine.runs.record.state import CheckpointInfo
from engine.runs.record.trace import TRACED_PARTS, TracedPart
from studio.i18n import filled, translate
from widgets.tables.view_model import ColumnView, RowView, TableData


def part_titles() -> dict[TracedPart, str]:
    """Return what is compared, by part."""
    return {
        "batch": translate("Certificate", "Batches"),
        "loss": translate("Certificate", "Loss"),
        "model": translate("Certificate", "Weights and buffers"),
        "optimizer": translate("Certificate", "Optimizer state"),
        "schedule": translate("Certificate", "Schedule"),
        "technique": translate("Certificate", "Techniques"),
        "random": translate("Certificate", "Random states"),
    }


def present_parts(found: Certificate | None) -> TableData:
    """Return what was compared, a row for each part."""
    titles = part_titles()
    columns = (
        ColumnView(key="part", title=translate("Certificate", "Compared"), width=22),
        ColumnView(key="values", title=translate("Certificate", "Compared values"), kind="count"),
        ColumnView(key="result", title=translate("Certificate", "Result"), width=30),
    )
    rows: tuple[RowView, ...] = ()
    if found is not None:
        rows = tuple(
            RowView(id=part, cells=(titles[part], count, _result(found, part)))
            for part in TRACED_PARTS
            for count in (found.values.get(part, 0),)
            if count or _differs(found, part)
        )
    empty = translate(
        "Certificate",
        "Not certified yet. The weights, losses, batches and random states of each step "
        "will be compared here.",
    )
    return TableData(columns=columns, rows=rows, empty_text=empty)


def present_result(found: Certificate, language: str) -> str:
    """Return what was found, and the probable reason of a difference."""
    if found.difference is None:
        text = translate(
            "Certificate",
            "Certified: after a resume at step {resumed} the next {steps} {steps|step is|steps "
            "are} equal bit for bit to those of a process that was never interrupted.",
        )
        return filled(text, resumed=found.resumed, steps=found.steps)
    one = found.difference
    text = translate("Certificate", "Not certified: in step {step} {part} differs first ({name}).")
    line = text.format(step=one.step, part=part_titles()[one.part], name=one.name)
    lines = [" ".join(filter(None, (line, _size(one))))]
    if found.reason is not None:
        reason = translate("Certificate", "Probable reason: {reason}")
        lines.append(reason.format(reason=sentence(found.reason, language)))
    return "\n".join(lines)


def present_place(found: Certificate) -> str:
    """Return where and when it was found."""
    when = datetime.fromtimestamp(found.time).astimezone().strftime("%Y-%m-%d %H:%M")
    text = translate(
        "Certificate",
        "{when} · from {file} · {device} · processes: {processes} · loader workers: {workers} · "
        "{system} · {versions}",
    )
    versions = ", ".join(f"{name} {version}" for name, version in found.versions.items() if version)
    return text.format(
        when=when,
        file=found.checkpoint,
        device=found.device,
        processes=found.processes,
        workers=found.workers,
        system=found.system,
        versions=versions,
    )


def present_progress(done: int, whole: int, steps: int) -> str:
    """Return what goes on: the process that goes on, then the one that resumes."""
    if done == 0:
        return translate("Certificate", "Starting the first process…")
    if done < whole - steps:
        text = translate("Certificate", "First process, without interruption: step {done} of {all}")
        return text.format(done=done, all=whole - steps)
    if done == whole - steps:
        return translate("Certificate", "Starting the second process…")
    text = translate("Certificate", "Second process, resumed: step {done} of {all}")
    return text.format(done=done - whole + steps, all=steps)


def present_choices(checkpoints: Sequence[CheckpointInfo]) -> list[tuple[str, str]]:
    """Return the checkpoints to begin with, by file; nothing: found by itself."""
    automatic = translate("Certificate", "Automatic")
    step = translate("Certificate", "Step {step} · {file}")
    return [
        ("", automatic),
        *((info.file, step.format(step=info.step, file=info.file)) for info in checkpoints[::-1]),
    ]


def _differs(found: Certificate, part: TracedPart) -> bool:
    return found.difference is not None and found.difference.part == part


def _result(found: Certificate, part: TracedPart) -> str:
    one = found.difference
    if one is None:
        return translate("Certificate", "✓ equal")
    if one.part == part:
        text = translate("Certificate", "✗ differs in step {step}")
        return text.format(step=one.step)
    if TRACED_PARTS.index(part) < TRACED_PARTS.index(one.part):
        text = translate("Certificate", "✓ equal up to step {step}")
        return text.format(step=one.step)
    text = translate("Certificate", "equal before step {step}")
    return text.format(step=one.step)


def _size(one: Difference) -> str:
    if one.amount is None:
        return ""
    text = translate("Certificate", "By up to {amount}, in {elements} of {of} numbers.")
    return text.format(amount=f"{one.amount:.3g}", elements=f"{one.elements:,}", of=f"{one.of:,}")
