"""A model in the precision of a run, on the devices of it."""

import torch
from torch import nn

from engine.spec.placement import placements
from engine.spec.run import RunSpec
from engine.train.devices import pick_device
from engine.train.placement import place_parts
from engine.train.precision import is_double, model_in_precision, require_double
from engine.train.ranks.world import ALONE, World


def placed_model(
    model: nn.Module, spec: RunSpec, device: torch.device, world: World = ALONE
) -> nn.Module:
    """Return the model in the precision of the run, on its devices.

    Raises :class:`DiagnosticError` where a device has not that precision or is not there.
    """
    if is_double(spec.compute):
        require_double(device)
    model = model_in_precision(model, spec.compute)
    if spec.processes.sync_norms:
        model = with_synced_norms(model, device, world.size)
    model = world.place(model, device)
    if spec.compute.channels_last:
        model = model.to(memory_format=torch.channels_last)
    parts = placements(spec.compute.placement) or {}
    place_parts(model, {name: pick_device(part) for name, part in parts.items()}, device)
    return model


def with_synced_norms(model: nn.Module, device: torch.device, processes: int) -> nn.Module:
    """Return a model whose batch norms take their statistics over the batch of all processes; they
    keep their weights. As it was in one process or without GPUs, where they would not compute.
    """
    if processes == 1 or device.type != "cuda":
        return model
    return nn.SyncBatchNorm.convert_sync_batchnorm(model)


def split_over_gpus(model: nn.Module, device: torch.device) -> nn.DataParallel[nn.Module] | None:
    """Return what goes forward with a part of each batch on every GPU, ``device`` first; None
    where there are not two.
    """
    count = torch.cuda.device_count() if device.type == "cuda" else 0
    if count < 2:
        return None
    first = device.index or 0
    return nn.DataParallel(model, [first, *(other for other in range(count) if other != first)])
