"""View of the status bar."""

from engine.catalog.registry import catalog
from engine.catalog.spec import EntryGroup
from engine.diagnostics import Severity
from engine.query.machine.request import Capabilities
from engine.runs.record.state import RunState
from engine.spec.run import RunSpec
from studio.i18n import filled, translate
from studio.session.findings import Findings
from studio.session.run_follower import RunUpdate
from studio.view.problem import problems_text
from studio.view.run import present_progress, where_text
from studio.view.wording import count_text, size_text
from studio.window.status_bar import StatusView

_BYTES = 4  # of a float32
_STATES = {"SGD": 0, "ASGD": 2, "Adadelta": 2, "Adagrad": 1, "RMSprop": 1, "Rprop": 2, "Muon": 1}


def present_status(
    findings: Findings, spec: RunSpec, run: RunUpdate | None, machine: Capabilities | None
) -> StatusView:
    """Return facts about model, machine and run."""
    progress = present_progress(run, "en") if run and not run.state.status.is_over() else None
    worst = findings.problems[0].severity.value if findings.problems else "success"
    parameters = findings.analysis.parameters
    states = optimizer_states(spec)
    trained = parameters - findings.analysis.frozen
    memory = training_memory(parameters, trained, states)
    return StatusView(
        device=_run_device_text(run) or _device_text(spec, machine),
        device_help=_device_help(machine),
        parameters=_parameters_text(parameters, trained),
        memory=f"≈ {size_text(memory)}" if parameters else "",
        memory_help=translate(
            "Status",
            "Memory for parameters, gradients and {states} {optimizer} values per "
            "parameter. Activations need additional memory that grows with the batch.",
        ).format(states=states, optimizer=spec.optimizer.type),
        run=" · ".join(part for part in (progress.title, progress.time) if part)
        if progress
        else "",
        progress=progress.permille if progress else 0,
        watching=_watching_share(run.state) if progress and run else "",
        watching_help=watching_text(run.state) if progress and run else "",
        problems=problems_text(findings.problems)
        if findings.is_checked
        else translate("Status", "Checking…"),
        worst="info" if worst == Severity.HINT else worst,
    )


def _watching_share(state: RunState) -> str:
    if not state.watching:
        return ""
    return translate("Status", "monitoring {share}").format(share=f"{state.watching:.1%}")


def watching_text(state: RunState) -> str:
    """Return what looking into the steps of a run costs; empty while nothing is known of it."""
    if not state.watching:
        return ""
    text = translate("Status", "Monitoring takes {share} of the time").format(
        share=f"{state.watching:.1%}"
    )
    if not state.is_throttled:
        return text
    slower = translate("Status", "recorded less often to stay within the limit")
    return f"{text} · {slower}"


def _parameters_text(parameters: int, trained: int) -> str:
    if not parameters:
        return ""
    if trained == parameters:
        return filled(
            translate("Status", "{count} {count|parameter|parameters}"),
            count=count_text(parameters),
        )
    text = translate("Status", "{trained} of {count} parameters trainable")
    return text.format(trained=count_text(trained), count=count_text(parameters))


def training_memory(parameters: int, trained: int, states: int) -> int:
    """Return the bytes of parameters, of gradients and of what the optimizer keeps, in float32."""
    return (parameters + trained * (1 + states)) * _BYTES


def optimizer_states(spec: RunSpec) -> int:
    """Return how many values an optimizer keeps for each parameter, about."""
    entry = catalog().entry(EntryGroup.OPTIMIZER, spec.optimizer.type)
    momentum = entry.value(spec.optimizer.params, "momentum") if entry else 0
    states = _STATES.get(spec.optimizer.type, 2)
    return states + bool(momentum) if spec.optimizer.type in ("SGD", "RMSprop") else states


def _run_device_text(run: RunUpdate | None) -> str:
    """Return where a run that goes on computes, with how many threads."""
    return "" if run is None or run.state.status.is_over() else where_text(run.state)


def _device_text(spec: RunSpec, machine: Capabilities | None) -> str:
    if machine is None:
        return translate("Status", "Loading PyTorch…")
    if spec.device != "auto":
        return spec.device.upper()
    return machine.gpus[0].name if machine.gpus else "CPU"


def _device_help(machine: Capabilities | None) -> str:
    if machine is None:
        return translate(
            "Status", "PyTorch is loading in the background. You can already build your model."
        )
    return filled(
        translate(
            "Status", "PyTorch {version}, {threads} {threads|thread|threads}, {memory} memory"
        ),
        version=machine.versions.get("torch", "?"),
        threads=machine.threads,
        memory=size_text(machine.memory_bytes),
    )
