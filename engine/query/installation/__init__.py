"""Installation: whether PyTorch computes on the devices of this machine."""
