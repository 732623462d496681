"""Devices of this machine and what they do at the moment, as lines of a table."""

from dataclasses import dataclass

from engine.diagnostics import sentence
from engine.query.machine.request import Capabilities
from engine.runs.process.gpus import gpu_numbers
from engine.runtime.telemetry import GpuLoad, MachineLoad
from engine.spec.run import RunSpec
from studio.i18n import filled, translate
from studio.view.wording import size_text


@dataclass(frozen=True, kw_only=True)
class DeviceRow:
    """One device. ``gpu``: its number, -1 for what is no GPU; ``is_seen``: by the run;
    ``in_run``: what it is called there.
    """

    gpu: int
    device: str
    name: str
    load: str
    memory: str
    heat: str
    in_run: str
    is_seen: bool
    about: str = ""


def present_devices(
    load: MachineLoad, capabilities: Capabilities | None, spec: RunSpec
) -> tuple[DeviceRow, ...]:
    """Return the processor, the GPUs and Apple's MPS, where they are."""
    gpus = load.gpus or _without_library(capabilities)
    order = gpu_numbers(spec.compute.gpus) or tuple(gpu.index for gpu in gpus)
    rows = [_processor(load), *(_gpu(gpu, order) for gpu in gpus)]
    if capabilities is not None and capabilities.has_mps:
        rows.append(_row("MPS", translate("Devices", "Apple GPU"), in_run="mps"))
    return tuple(rows)


def present_choice(spec: RunSpec, capabilities: Capabilities | None) -> str:
    """Return in a sentence where the run computes."""
    if capabilities is None:
        return translate("Devices", "PyTorch is still loading; its devices are not known yet.")
    chosen = spec.device
    if chosen == "auto":
        best = "cuda:0" if capabilities.gpus else "mps" if capabilities.has_mps else "cpu"
        text = translate("Devices", "Runs choose a device automatically (auto): {device}.")
        return text.format(device=best)
    return translate("Devices", "The run uses {device}.").format(device=chosen)


def free_help(capabilities: Capabilities | None, *, is_running: bool) -> tuple[bool, str]:
    """Return whether a run has memory of a GPU to give back, and what that means or why not."""
    if capabilities is None or not (capabilities.gpus or capabilities.has_mps):
        return False, translate("Devices", "This machine has no GPU.")
    if not is_running:
        return False, translate("Devices", "No active run uses GPU memory.")
    return True, translate(
        "Devices",
        "Release memory that PyTorch has cached (empty_cache) for other programs. Weights "
        "and tensors are kept; the next steps are slower until it is allocated again.",
    )


def present_note(load: MachineLoad, language: str) -> str:
    """Return why no GPU is watched, where none is."""
    return "" if load.problem is None else sentence(load.problem, language)


def subset_text(shown: list[int], checked: list[int]) -> str:
    """Return the choice of GPUs as the setting has it: empty for all of them."""
    return "" if set(checked) == set(shown) or not checked else ",".join(map(str, checked))


def _without_library(capabilities: Capabilities | None) -> tuple[GpuLoad, ...]:
    """Return the GPUs as PyTorch counts them, where NVIDIA's library does not tell more."""
    return tuple(
        GpuLoad(index=gpu.index, name=gpu.name, memory_bytes=gpu.memory_bytes, used_bytes=-1)
        for gpu in (capabilities.gpus if capabilities else ())
    )


def _processor(load: MachineLoad) -> DeviceRow:
    cores = ", ".join(f"{100 * core:.0f} %" for core in load.cores)
    name = filled(translate("Devices", "{count} {count|core|cores}"), count=len(load.cores))
    mean = sum(load.cores) / max(1, len(load.cores))
    return _row(
        "CPU",
        name,
        load=f"{100 * mean:.0f} %",
        memory=_of(load.used_bytes, load.memory_bytes),
        in_run="cpu",
        about=translate("Devices", "Load of each core: {cores}").format(cores=cores),
    )


def _gpu(gpu: GpuLoad, order: tuple[int, ...]) -> DeviceRow:
    is_seen = gpu.index in order
    return DeviceRow(
        gpu=gpu.index,
        device=f"GPU {gpu.index}",
        name=gpu.name,
        load="" if gpu.load is None else f"{100 * gpu.load:.0f} %",
        memory=_of(gpu.used_bytes, gpu.memory_bytes),
        heat="" if gpu.celsius is None else f"{gpu.celsius} °C",
        in_run=f"cuda:{order.index(gpu.index)}" if is_seen else translate("Devices", "not visible"),
        is_seen=is_seen,
    )


def _row(
    device: str, name: str, *, in_run: str, load: str = "", memory: str = "", about: str = ""
) -> DeviceRow:
    return DeviceRow(
        gpu=-1,
        device=device,
        name=name,
        load=load,
        memory=memory,
        heat="",
        in_run=in_run,
        is_seen=True,
        about=about,
    )


def _of(used: int, total: int) -> str:
    if used < 0:
        return size_text(total)
    text = translate("Devices", "{used} of {total}")
    return text.format(used=size_text(used), total=size_text(total))
