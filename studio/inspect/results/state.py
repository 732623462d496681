"""State of the Results page, and how it is shown."""

from dataclasses import dataclass

from engine.diagnostics import Diagnostic, sentence
from engine.query.request import Split
from engine.query.results.request import ExamineStep, ResultReport
from studio.i18n import filled, translate
from studio.inspect.results.numbers import chosen_column, column_choices
from studio.inspect.results.presenter import (
    Chart,
    Drawing,
    Order,
    Samples,
    charts,
    has_classes,
    present_summary,
)
from studio.window.page import EmptyView
from widgets.common.progress import ProgressView, time_left

SHOWN = 400  # samples
SHOWN_MASKS = 96  # each is predicted anew, as sequences and boxes are
MOST_IN_DATA = 100_000  # that the Samples page lists by their numbers
_POINTS = (Chart.TRUTH, Chart.RESIDUALS)  # of one number of a sample, or of all
PARTS: tuple[Split, ...] = ("validation", "test", "train")


@dataclass(frozen=True, kw_only=True)
class ResultsState:
    """What is examined, and what came of it: one of several ``outputs`` that are compared with the
    data, where there are. ``is_part_chosen`` says that the user chose the part;
    ``cell`` of the matrix, ``sample`` or ``chosen`` (indices in the source) narrow the samples down
    to ``numbers``; ``column`` is the number that is drawn of several; ``drawing`` is the chart in
    front and ``samples`` what is listed of them.
    """

    has_checkpoint: bool = False
    part: Split = "validation"
    outputs: tuple[tuple[str, str], ...] = ()
    output: str = ""
    is_part_chosen: bool = False
    order: Order = Order.WORST
    chart: Chart = Chart.MATRIX
    column: str = ""
    progress: ProgressView | None = None
    is_stopped: bool = False
    problem: Diagnostic | None = None
    report: ResultReport | None = None
    cell: tuple[int, int] | None = None
    sample: int | None = None
    chosen: tuple[int, ...] = ()
    numbers: tuple[int, ...] = ()
    drawing: Drawing | None = None
    samples: Samples | None = None

    def following_part(self) -> Split | None:
        """Return the part to try next, unless the user chose this one or it is the last."""
        index = PARTS.index(self.part) + 1
        return None if self.is_part_chosen or index == len(PARTS) else PARTS[index]


@dataclass(frozen=True, kw_only=True)
class ResultsView:
    """What the page shows; ``filter`` says which samples are listed."""

    empty: EmptyView | None
    can_examine: bool
    part: Split
    outputs: tuple[tuple[str, str], ...]
    output: str
    progress: ProgressView | None
    summary: str
    charts: tuple[Chart, ...]
    chart: Chart
    columns: tuple[tuple[str, str], ...]
    column: str
    drawing: Drawing | None
    orders: tuple[tuple[str, str], ...]
    order: Order
    filter: str
    can_show_all: bool
    can_show_in_data: bool
    samples: Samples | None


def shown_of(report: ResultReport) -> int:
    """Return how many samples are shown at most."""
    is_predicted = report.ious or report.hits or report.box_counts
    return SHOWN_MASKS if is_predicted else SHOWN


def present_results(state: ResultsState, language: str) -> ResultsView:
    """Return the page; charts and samples are drawn before."""
    report = state.report
    has_wrong = report is None or has_classes(report)
    return ResultsView(
        empty=None if report is not None else _why_empty(state, language),
        can_examine=state.has_checkpoint,
        part=state.part,
        outputs=state.outputs,
        output=state.output,
        progress=state.progress,
        summary=present_summary(report) if report is not None else "",
        charts=charts(report) if report is not None else (),
        chart=state.chart,
        columns=column_choices(report) if report is not None and state.chart in _POINTS else (),
        column=chosen_column(report, state.column) if report is not None else "",
        drawing=state.drawing,
        orders=tuple(
            (order.value, title)
            for order, title in _order_titles().items()
            if order is not Order.WRONG or has_wrong
        ),
        order=state.order,
        filter=_filter_text(report, state) if report is not None else "",
        can_show_all=state.cell is not None or state.sample is not None or bool(state.chosen),
        can_show_in_data=0 < len(state.numbers) <= MOST_IN_DATA,
        samples=state.samples,
    )


def _why_empty(state: ResultsState, language: str) -> EmptyView:
    if not state.has_checkpoint:
        return EmptyView(
            translate("Results", "No checkpoint yet"),
            translate(
                "Results",
                "Evaluate a trained model: confusion matrix, worst samples, ROC curves, "
                "residuals. Train a model first; the first checkpoint is saved after the "
                "first epoch.",
            ),
            translate("Results", "Start training"),
        )
    if state.problem is not None:
        text = sentence(state.problem, language)
        return EmptyView(translate("Results", "Nothing to show"), text)
    if state.is_stopped:
        text = translate("Results", "The results so far are kept. You can continue from there.")
        return EmptyView(translate("Results", "Stopped"), text, translate("Results", "Continue"))
    return EmptyView(translate("Results", "Opening the model…"))


def _filter_text(report: ResultReport, state: ResultsState) -> str:
    count = len(state.numbers)
    if state.cell is not None:
        true, predicted = (report.classes[index] for index in state.cell)
        text = translate("Results", "{true} predicted as {predicted}: {count}")
        return text.format(true=true, predicted=predicted, count=f"{count:,}")
    if state.chosen and state.sample is None:
        text = translate("Results", "{count} of {total} chosen samples, those in this split")
        return text.format(count=f"{count:,}", total=f"{len(state.chosen):,}")
    most = shown_of(report)
    if count > most:
        text = translate("Results", "the first {shown} of {count}")
        return text.format(shown=most, count=f"{count:,}")
    return filled(translate("Results", "{count} {count|sample|samples}"), count=f"{count:,}")


def _order_titles() -> dict[Order, str]:
    return {
        Order.WORST: translate("Results", "Worst first"),
        Order.BEST: translate("Results", "Best first"),
        Order.WRONG: translate("Results", "Wrong only"),
        Order.DATA: translate("Results", "Data order"),
    }


def present_progress(step: ExamineStep, passed_s: float) -> ProgressView:
    """Return how far an examination is that goes on for so long."""
    share = step.done / step.total
    text = translate("Results", "{done} of {total} samples")
    return ProgressView(
        text=text.format(done=f"{step.done:,}", total=f"{step.total:,}"),
        fraction=share,
        left_s=time_left(share, passed_s),
        can_cancel=True,
    )
