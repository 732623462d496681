"""Whether PyTorch computes here, told in the window."""
