"""Presenter of the download of a data set."""

from engine.catalog.registry import catalog
from engine.catalog.spec import EntryGroup, Need
from engine.catalog.text import entry_label, entry_summary
from engine.query.download.request import DownloadProgress
from engine.spec.run import Choice, RunSpec
from studio.i18n import translate

DOWNLOADABLE = frozenset(("D245", "D253", "D254", "D255", "D256"))
"""Findings of a data set that is not where it was looked for, or not whole, but can be fetched."""
_CATEGORY = "torchvision"
_MEGABYTE = 1e6


def is_downloadable(spec: RunSpec) -> bool:
    """Return whether the data of a specification can be downloaded."""
    entry = catalog().entry(EntryGroup.DATA, spec.data.source.type)
    return entry is not None and entry.category == _CATEGORY and Need.BY_HAND not in entry.needs


def present_set(source: Choice, language: str) -> tuple[str, str]:
    """Return the name of a data set, and what it is."""
    entry = catalog().entry(EntryGroup.DATA, source.type)
    if entry is None:
        return source.type, ""
    return entry_label(entry, language), entry_summary(entry, language)


def present_progress(progress: DownloadProgress) -> tuple[str, int, int]:
    """Return what is being done, and how far it is in thousandths (of 0: not known)."""
    done, total = (f"{size / _MEGABYTE:,.1f}" for size in (progress.done, progress.total))
    if progress.stage == "unpack":
        text = translate("Download", "Unpacking {file}").format(file=progress.file)
    elif progress.total:
        text = translate("Download", "{file}: {done} of {total} MB").format(
            file=progress.file, done=done, total=total
        )
    else:
        text = translate("Download", "{file}: {done} MB").format(file=progress.file, done=done)
    if not progress.total:
        return text, 0, 0
    return text, round(1000 * progress.done / progress.total), 1000
