"""Files of weights by their usual endings. What a file is, its content decides."""

WEIGHT_SUFFIXES = (".safetensors", ".pt", ".pth", ".bin", ".ckpt", ".tar")
