"""Events of a run as lines of the log."""

from collections.abc import Iterable, Mapping

from engine.diagnostics import Severity, sentence
from engine.events import (
    CheckpointSaved,
    DebugStopped,
    EpochDone,
    KnobChanged,
    RunEnded,
    RunEvent,
    RunStarted,
    StateChanged,
    TensorChanged,
    Warned,
    WatchingChanged,
)
from engine.graph.model import Graph
from engine.runs.record.state import RunState, RunStatus
from engine.runs.record.store import StoredEvent
from studio.i18n import filled, translate
from studio.inspect.debugger.presenter import stop_text
from studio.view.run import series_label, status_text, where_text
from studio.view.wording import count_text, metric_text, value_text
from widgets.tables.view_model import Level, LogLine

_BEST = "best"


def present_events(events: Iterable[StoredEvent], language: str) -> list[LogLine]:
    """Return a line for each event that is worth one; steps and removed checkpoints are not."""
    return [
        LogLine(text=text, level=_level(stored.event), time=stored.event.time, source="run")
        for stored in events
        if (text := _text(stored.event, language))
    ]


def present_printed(printed: Iterable[str]) -> list[LogLine]:
    """Return the lines that the worker printed."""
    return [LogLine(text=text, source="run") for text in printed]


def _level(event: RunEvent) -> Level:
    match event:
        case Warned(problem=problem):
            return "error" if problem.severity is Severity.ERROR else "warning"
        case RunEnded(problem=problem) if problem is not None:
            return "error"
        case CheckpointSaved():
            return "debug"
        case _:
            return "info"


def _text(event: RunEvent, language: str) -> str:
    text = ""
    match event:
        case RunStarted():
            text = _start_text(event)
        case EpochDone(epoch=epoch, metrics=metrics):
            text = translate("Log", "Epoch {epoch}: {values}")
            text = text.format(epoch=epoch, values=_values_text(metrics))
        case CheckpointSaved(file=file, step=step, tags=tags):
            text = translate("Log", "Checkpoint {file} at step {step}")
            if _BEST in tags:
                text = translate("Log", "Checkpoint {file} at step {step}, the best so far")
            text = text.format(file=file, step=step)
        case StateChanged(state=state, step=step):
            text = translate("Log", "Paused at step {step}")
            if state == "running":
                text = translate("Log", "Continued at step {step}")
            text = text.format(step=step)
        case KnobChanged() | WatchingChanged():
            text = _set_text(event)
        case DebugStopped():
            text = stop_text(event, Graph())
        case TensorChanged(step=step, key=key, expression=expression):
            text = translate("Log", "{name} changed manually in step {step}: {expression}")
            text = text.format(name=key, step=step, expression=expression)
        case Warned(problem=problem):
            text = sentence(problem, language)
        case RunEnded():
            text = _end_text(event, language)
        case _:
            pass
    return text


def _set_text(event: KnobChanged | WatchingChanged) -> str:
    """Return what the user set."""
    if isinstance(event, KnobChanged):
        text = translate("Log", "{name} set to {value} at step {step}")
        return text.format(name=event.name, value=value_text(event.value), step=event.step)
    text = translate("Log", "Statistics are off from step {step}")
    if event.statistics:
        text = translate("Log", "Monitoring limit set to {limit} at step {step}")
    return text.format(limit=f"{event.limit:.1%}", step=event.step)


def _start_text(event: RunStarted) -> str:
    text = translate("Log", "Started: {place}, {parameters} {parameters|parameter|parameters}")
    if event.resumed_from:
        text = translate("Log", "Resumed from {file}: {place}")
    return filled(
        text,
        place=where_text(RunState(device=event.device, threads=event.threads)),
        parameters=count_text(event.parameters),
        file=event.resumed_from,
    )


def _end_text(event: RunEnded, language: str) -> str:
    head = translate("Log", "Ended at step {step}: {reason}")
    parts = [head.format(step=event.step, reason=status_text(RunStatus(event.reason)))]
    if event.problem is not None:
        parts.append(sentence(event.problem, language))
    if event.metrics:
        parts.append(_values_text(event.metrics))
    return "\n".join(parts)


def _values_text(metrics: Mapping[str, float]) -> str:
    return ", ".join(f"{series_label(key)} {metric_text(value)}" for key, value in metrics.items())
