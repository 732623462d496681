"""Diffusion: a model that tells noise from data makes samples of noise, step by step."""
