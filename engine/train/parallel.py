"""Models on several GPUs: batch norms over all processes, and a batch split in one process."""

import torch
from torch import nn


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
