"""Data sets of torchvision: where their files lie, how they are read and downloaded."""
