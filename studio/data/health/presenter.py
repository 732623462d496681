"""Health of the data: what is known of it, and what the page shows."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from engine.diagnostics import Diagnostic, sentence
from engine.graph.model import Graph
from engine.query.health.request import CheckDataHealth, HealthStep
from engine.spec.data_edits import DataEdits
from engine.spec.data_path import data_key
from engine.spec.health import THUMBNAIL_SIDE, HealthFinding, HealthReport, SampleEvidence
from engine.spec.loss_rule import weighs_classes
from engine.spec.run import DataSpec, RunSpec
from studio.i18n import filled, translate
from studio.view.data import split_title
from studio.view.problem import present_problems
from studio.window.page import EmptyView
from widgets.common.progress import ProgressView, time_left
from widgets.images.view_model import BoxView, ImageView
from widgets.tables.view_model import ColumnView, ProblemView, RowView, TableData

Evidence = tuple[ImageView, ...] | TableData


@dataclass(frozen=True, kw_only=True)
class HealthState:
    """``asked`` is the question that goes on, or whose report is shown; it ended with a report, or
    with the ``problems`` of data that cannot be read. ``current`` is what would be asked now,
    ``chosen`` the number of the finding whose samples are shown, -1 for none; ``selected`` are the
    indices of those samples that are selected, ``classes`` what a sample can be relabeled as.
    """

    current: CheckDataHealth | None = None
    asked: CheckDataHealth | None = None
    progress: ProgressView | None = None
    report: HealthReport | None = None
    problems: tuple[Diagnostic, ...] = ()
    is_stopped: bool = False
    has_classes: bool = False
    classes: tuple[str, ...] = ()
    chosen: int = -1
    selected: tuple[int, ...] = ()

    @property
    def is_busy(self) -> bool:
        """Whether a check goes on."""
        return self.progress is not None

    @property
    def is_stale(self) -> bool:
        """Whether the data is another than was checked."""
        return self.report is not None and self.asked != self.current

    @property
    def findings(self) -> tuple[HealthFinding, ...]:
        """The findings, the worst first."""
        return self.report.findings if self.report is not None else ()

    @property
    def finding(self) -> HealthFinding | None:
        """The finding whose samples are shown."""
        return self.findings[self.chosen] if 0 <= self.chosen < len(self.findings) else None

    @property
    def selection(self) -> tuple[SampleEvidence, ...]:
        """The samples that are selected."""
        samples = self.finding.samples if self.finding is not None else ()
        return tuple(sample for sample in samples if sample.index in self.selected)

    @property
    def predicted(self) -> str:
        """The class that is predicted for all samples that are selected; empty for several."""
        labels = {sample.predicted for sample in self.selection}
        return labels.pop() if len(labels) == 1 else ""


@dataclass(frozen=True, kw_only=True)
class HealthView:
    """What the page shows: ``empty``, or findings with the samples of one of them below."""

    empty: EmptyView | None
    can_check: bool
    check: str
    progress: ProgressView | None
    summary: str
    stale: str
    labels: str
    can_cross_validate: bool
    findings: tuple[ProblemView, ...]
    samples_title: str
    samples: Evidence | None
    indices: tuple[int, ...]
    can_exclude: bool
    can_relabel: bool
    relabel: str
    has_classes: bool


def question(
    spec: RunSpec, graph: Graph, project: str, *, with_transforms: bool = False
) -> CheckDataHealth:
    """Return the question about the data of a specification; settings that change nothing of the
    samples and their parts are left out, as are transforms unless they can take boxes away.
    """
    data = spec.data
    asked = DataSpec(
        source=data.source,
        split=data.split,
        shuffle=data.shuffle,
        sampler=data.sampler,
        sampler_column=data.sampler_column,
        edits=data.edits,
        transforms=data.transforms if with_transforms else (),
    )
    return CheckDataHealth(
        data=asked, project=project, code=dict(graph.code), is_weighted=weighs_classes(spec)
    )


def present_health(state: HealthState, graph: Graph, spec: RunSpec, language: str) -> HealthView:
    """Return what the page shows."""
    report, finding = state.report, state.finding
    is_first = report is None and not state.problems
    has_labels = report is not None and state.has_classes
    return HealthView(
        empty=_empty(state, language),
        can_check=not state.is_busy and state.current is not None,
        check=check_title() if is_first else translate("Health", "Check again"),
        progress=state.progress,
        summary=present_passed(report) if report is not None and state.findings else "",
        stale=_stale(state),
        labels=_labels_text(report) if report is not None and has_labels else "",
        can_cross_validate=report is not None and has_labels and report.label_basis != "folds",
        findings=_findings(state.findings, graph, spec, language),
        samples_title=_samples_title(finding) if finding is not None else "",
        samples=present_evidence(
            finding, spec.data.edits.of(data_key(spec.data.source, graph.code))
        )
        if finding is not None and finding.samples
        else None,
        indices=tuple(sample.index for sample in finding.samples) if finding is not None else (),
        can_exclude=bool(state.selection),
        can_relabel=bool(state.predicted),
        relabel=_relabel_title(state),
        has_classes=bool(state.classes),
    )


def check_title() -> str:
    """Return what the button says that begins."""
    return translate("Health", "Check the data")


def present_progress(step: HealthStep, passed_s: float) -> ProgressView:
    """Return how far a check is that goes on for so long."""
    share = step.done / step.total if step.total else 0.0
    return ProgressView(
        text=translate("Health", "Checking the data…"),
        fraction=share,
        left_s=time_left(share, passed_s),
        can_cancel=True,
    )


def check_titles() -> dict[str, str]:
    """Return what is looked for, by check."""
    return {
        "source": translate("Health", "values that cannot be used"),
        "damaged": translate("Health", "damaged files"),
        "sizes": translate("Health", "odd picture sizes"),
        "blank": translate("Health", "blank pictures"),
        "duplicates": translate("Health", "duplicates and leakage"),
        "near_duplicates": translate("Health", "near duplicates"),
        "texts": translate("Health", "empty texts"),
        "quiet": translate("Health", "silent sounds"),
        "clipped": translate("Health", "clipped sounds"),
        "durations": translate("Health", "very short sounds"),
        "tiny": translate("Health", "tiny videos"),
        "lengths": translate("Health", "very short videos"),
        "groups": translate("Health", "groups on both sides of the split"),
        "balance": translate("Health", "class imbalance"),
        "boxes": translate("Health", "odd boxes"),
        "cut_boxes": translate("Health", "boxes and masks that evaluation loses"),
        "constant": translate("Health", "constant columns"),
        "naming": translate("Health", "columns that name rows"),
        "missing": translate("Health", "missing values"),
        "outliers": translate("Health", "outliers"),
        "give_away": translate("Health", "columns that give the target away"),
        "labels": translate("Health", "wrong labels"),
    }


def present_passed(report: HealthReport) -> str:
    """Return how many samples were checked and what was not found, in one sentence each."""
    titles = check_titles()
    fine = [titles[result.check] for result in report.checks if not result.findings]
    count = filled(
        translate("Health", "{count} {count|sample|samples} checked."), count=f"{report.samples:,}"
    )
    if not fine:
        return count
    separator = translate("Health", ", ")
    text = translate("Health", "Not found: {checks}.").format(checks=separator.join(fine))
    return f"{count} {text}"


def present_evidence(finding: HealthFinding, edits: DataEdits) -> Evidence:
    """Return the samples of a finding as pictures where there are any, else as rows, with what was
    edited of them since.
    """
    samples = finding.samples
    if any(sample.pixels for sample in samples):
        return tuple(_picture(sample, _edited(sample, edits)) for sample in samples)
    keys = _columns(samples)
    columns = [ColumnView(key=key, title=title, kind=kind) for key, title, kind in keys]  # type: ignore[arg-type]
    if any(_edited(sample, edits) for sample in samples):
        keys.append(("edit", translate("Health", "Edited"), "text"))
        columns.append(ColumnView(key="edit", title=translate("Health", "Edited")))
    columns.append(ColumnView(key="text", title=translate("Health", "Content"), is_elastic=True))
    rows = tuple(
        RowView(
            id=str(sample.index),
            cells=(
                *(
                    _edited(sample, edits) if key == "edit" else _cell(sample, key)
                    for key, _, _ in keys
                ),
                sample.text,
            ),
            is_muted=bool(_edited(sample, edits)),
        )
        for sample in samples
    )
    return TableData(columns=tuple(columns), rows=rows)


def _findings(
    findings: Sequence[HealthFinding], graph: Graph, spec: RunSpec, language: str
) -> tuple[ProblemView, ...]:
    repairs = {id(each.problem): each.repairs for each in findings}
    problems = [each.problem for each in findings]
    views = present_problems(problems, graph, spec, language, lambda problem: repairs[id(problem)])
    return tuple(
        replace(
            view, where=_count(each.total) if each.total or not each.problem.field else view.where
        )
        for view, each in zip(views, findings, strict=True)
    )


def _count(total: int) -> str:
    if not total:
        return ""
    return filled(translate("Health", "{count} {count|sample|samples}"), count=f"{total:,}")


def _edited(sample: SampleEvidence, edits: DataEdits) -> str:
    """Return what the user decided about a sample; a label that it had when it was checked is
    nothing new.
    """
    edit = edits.samples.get(sample.name)
    if edit is None:
        return ""
    if edit.excluded:
        return translate("Health", "excluded")
    if edit.label and edit.label != sample.label:
        return translate("Health", "now {label}").format(label=edit.label)
    return ""


def _relabel_title(state: HealthState) -> str:
    """Return what the button says that takes over the predictions; empty without any."""
    if state.finding is None or not any(each.predicted for each in state.finding.samples):
        return ""
    if state.predicted:
        return translate("Health", "Relabel as “{label}”").format(label=state.predicted)
    return translate("Health", "Relabel as predicted")


def _boxes(sample: SampleEvidence) -> BoxView:
    """Return the boxes that a finding is about; their names stand elsewhere."""
    rows = np.asarray(sample.boxes, np.float64)
    return BoxView(classes=(), corners=rows[:, :4], numbers=rows[:, 4].astype(np.int64))


def _picture(sample: SampleEvidence, edited: str) -> ImageView:
    side = THUMBNAIL_SIDE
    pixels = np.full((3, side, side), 128, np.uint8)
    if len(sample.pixels) == 3 * side * side:
        pixels = np.frombuffer(sample.pixels, np.uint8).reshape(side, side, 3).transpose(2, 0, 1)
    label = _label(sample)
    group = f"{_letter(sample.group)} · " if sample.group >= 0 else ""
    part = split_title(sample.part) if sample.part else ""
    return ImageView(
        pixels=pixels,
        overlay=_boxes(sample) if sample.boxes else None,
        label=f"{group}{label or part}",
        sublabel=edited or f"#{sample.index} {part if label else ''}".strip(),
    )


def _label(sample: SampleEvidence) -> str:
    return f"{sample.label} → {sample.predicted}" if sample.predicted else sample.label


def _letter(group: int) -> str:
    """Return the name of a group: A to Z, then AA."""
    first, last = divmod(group, 26)
    return (chr(64 + first) if first else "") + chr(65 + last)


def _columns(samples: Sequence[SampleEvidence]) -> list[tuple[str, str, str]]:
    """Return keys, titles and kinds of the columns that some sample has a value for."""
    columns = [("index", translate("Data", "No."), "count")]
    if any(sample.group >= 0 for sample in samples):
        columns.append(("group", translate("Health", "Group"), "text"))
    if any(sample.part for sample in samples):
        columns.append(("part", translate("Health", "Split"), "text"))
    if any(sample.label for sample in samples):
        columns.append(("label", translate("Health", "Label"), "text"))
    if any(sample.predicted for sample in samples):
        columns.append(("predicted", translate("Health", "Predicted"), "text"))
    return columns


def _cell(sample: SampleEvidence, key: str) -> str | int:
    match key:
        case "index":
            return sample.index
        case "group":
            return _letter(sample.group) if sample.group >= 0 else ""
        case "part":
            return split_title(sample.part) if sample.part else ""
        case "label":
            return sample.label
        case _:
            return sample.predicted


def _samples_title(finding: HealthFinding) -> str:
    shown = len(finding.samples)
    if not shown:
        return translate("Health", "This finding is about the data as a whole.")
    if any(sample.group >= 0 for sample in finding.samples):
        return translate("Health", "Samples with the same letter belong together.")
    if shown < finding.total:
        text = translate("Health", "The first {shown} of {count} samples")
        return text.format(shown=shown, count=f"{finding.total:,}")
    return _count(shown)


def _stale(state: HealthState) -> str:
    if not state.is_stale or state.is_busy:
        return ""
    return translate(
        "Health", "Data or split changed since this check, so the findings may be out of date."
    )


def _labels_text(report: HealthReport) -> str:
    """Return in what label errors were looked for."""
    count = f"{report.label_samples:,}"
    match report.label_basis:
        case "folds":
            text = translate(
                "Health",
                "{count} {count|label was|labels were} compared with the predictions of "
                "cross-validated runs.",
            )
            return filled(text, count=count)
        case "part":
            text = translate(
                "Health",
                "Only the {count} labels that the last run was not trained on were compared with "
                "its predictions. Cross-validate to check all of them.",
            )
            return text.format(count=count)
        case _:
            return translate(
                "Health",
                "Wrong labels are found with models that have not seen the samples: "
                "cross-validate, then check again.",
            )


def _empty(state: HealthState, language: str) -> EmptyView | None:
    if state.report is not None:
        if state.findings:
            return None
        return EmptyView(
            translate("Health", "Nothing found"),
            present_passed(state.report),
            translate("Health", "Check again"),
        )
    if state.is_busy:
        return EmptyView(
            translate("Health", "Checking…"),
            translate("Health", "Every sample is looked at once. You can go on working."),
        )
    if state.problems:
        text = "\n".join(sentence(problem, language) for problem in state.problems)
        return EmptyView(
            translate("Health", "The data cannot be checked"),
            text,
            translate("Health", "Check again"),
        )
    if state.is_stopped:
        text = translate("Health", "It continues from there unless the data has changed.")
        return EmptyView(translate("Health", "Stopped"), text, translate("Health", "Continue"))
    return EmptyView(
        translate("Health", "Not checked yet"),
        translate(
            "Health",
            "Every sample is looked at: copies within and across the sets, equal inputs with "
            "different labels, columns that give the target away, damaged or odd pictures, missing "
            "values, rare classes, and labels that are likely to be wrong. No file is changed.",
        ),
        check_title(),
    )
