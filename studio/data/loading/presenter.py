"""Speeds of the loader as lines of a table."""

from collections.abc import Sequence
from dataclasses import dataclass

from engine.diagnostics import sentence
from engine.query.reading.request import (
    BatchSizeFound,
    LoadingMeasured,
    PinningMeasured,
    ReadingProgress,
)
from engine.query.reading.suggestion import suggested_workers
from studio.i18n import filled, listed, translate
from studio.view.wording import duration_text, size_text

_WORTH = 1.05  # times as many batches a second


@dataclass(frozen=True, kw_only=True)
class LoadingRow:
    """One number of workers: how fast batches came, and what is to be known of it."""

    workers: int
    batches: str
    samples: str
    first: str
    note: str
    is_suggested: bool
    can_choose: bool


def present_rows(
    measured: Sequence[LoadingMeasured], batch_size: int, workers: int, language: str
) -> tuple[LoadingRow, ...]:
    """Return the numbers of workers that were tried; ``workers`` is what is chosen now."""
    suggested = suggested_workers(measured)
    return tuple(
        LoadingRow(
            workers=each.workers,
            batches=f"{each.batches_per_s:,.1f}" if each.problem is None else "",
            samples=f"{each.batches_per_s * batch_size:,.0f}" if each.problem is None else "",
            first=duration_text(each.first_s) if each.problem is None else "",
            note=_note(each, suggested, workers, language),
            is_suggested=each.workers == suggested,
            can_choose=each.problem is None,
        )
        for each in measured
    )


@dataclass(frozen=True, kw_only=True)
class BatchSizeView:
    """What is known of the memory of batches, and the ``offer`` to use another size (empty: none),
    which is taken at first where the chosen one does not fit.
    """

    text: str = ""
    offer: str = ""
    size: int = 0
    is_needed: bool = False


def present_batch_size(found: BatchSizeFound, language: str) -> BatchSizeView:
    """Return how large batches can be here."""
    if found.problem is not None:
        text = translate("Loading", "Memory of a training step: {reason}")
        return BatchSizeView(text=text.format(reason=sentence(found.problem, language)))
    free = translate("Loading", "{size} free on {device}")
    free = free.format(size=size_text(found.free_bytes), device=found.device)
    if not found.largest:
        text = translate(
            "Loading", "Not even a batch of one sample fits ({size}, {free}). Use a smaller model."
        )
        size = size_text(found.largest_bytes)
        return BatchSizeView(text=text.format(size=size, free=free))
    text = translate(
        "Loading",
        "A training step takes about {now} with batches of {chosen} and {most} with {largest}, the "
        "largest that fit ({free}).",
    )
    is_all = found.largest * 2 > found.samples
    if is_all:
        text = translate(
            "Loading",
            "A training step takes about {now} with batches of {chosen}. The size is not limited "
            "by memory ({free}) but by the {samples} training samples.",
        )
    text = text.format(
        now=size_text(found.chosen_bytes),
        chosen=f"{found.chosen:,}",
        most=size_text(found.largest_bytes),
        largest=f"{found.largest:,}",
        free=free,
        samples=f"{found.samples:,}",
    )
    is_needed = found.chosen > found.largest
    if found.largest == found.chosen or (is_all and not is_needed):
        return BatchSizeView(text=text)
    offer = translate("Loading", "Set the batch size to {size}, too")
    return BatchSizeView(
        text=text,
        offer=offer.format(size=f"{found.largest:,}"),
        size=found.largest,
        is_needed=is_needed,
    )


@dataclass(frozen=True, kw_only=True)
class PinningView:
    """What page-locked memory brings, and the ``offer`` to use it (empty: none)."""

    text: str = ""
    offer: str = ""


def present_pinning(found: PinningMeasured, *, is_pinned: bool, language: str) -> PinningView:
    """Return whether page-locked memory is worth it; ``is_pinned`` is what is chosen now."""
    if found.problem is not None:
        text = translate("Loading", "Pinned memory: {reason}")
        return PinningView(text=text.format(reason=sentence(found.problem, language)))
    if not found.device:
        return PinningView(
            text=translate(
                "Loading", "Pinned memory was not tried: it only helps with a CUDA device."
            )
        )
    text = translate(
        "Loading",
        "To {device}: {plain} batches/s from pageable memory, {pinned} from pinned memory.",
    ).format(
        device=found.device,
        plain=f"{found.pageable_per_s:,.1f}",
        pinned=f"{found.pinned_per_s:,.1f}",
    )
    helps = found.pinned_per_s > _WORTH * found.pageable_per_s
    offer = translate("Loading", "Switch pinned memory on, too") if helps and not is_pinned else ""
    return PinningView(text=text, offer=offer)


def present_progress(progress: ReadingProgress) -> str:
    """Return what is being measured."""
    if progress.workers == 0:
        return translate("Loading", "Reading batches without workers…")
    text = translate("Loading", "Reading batches with {count} {count|worker|workers}…")
    return filled(text, count=progress.workers)


def present_summary(measured: Sequence[LoadingMeasured], workers: int, language: str) -> str:
    """Return what came of it all; where no batch came, why."""
    suggested = suggested_workers(measured)
    if suggested is None:
        text = translate("Loading", "No batch could be read.")
        reason = next((each.problem for each in measured if each.problem is not None), None)
        return text if reason is None else f"{text} {sentence(reason, language)}"
    if suggested == workers:
        text = translate("Loading", "{count} {count|worker is|workers are} a good choice already.")
        return filled(text, count=workers)
    text = translate(
        "Loading",
        "{count} {count|worker reads|workers read} nearly as fast as this machine can. Choose "
        "Apply to use {count|it|them}. The number does not change the results of the run.",
    )
    return filled(text, count=suggested)


def _note(each: LoadingMeasured, suggested: int | None, workers: int, language: str) -> str:
    if each.problem is not None:
        return sentence(each.problem, language)
    notes = [translate("Loading", "suggested")] if each.workers == suggested else []
    notes += [translate("Loading", "chosen now")] if each.workers == workers else []
    return listed(notes)
