"""Generators: what the generator of a GAN makes of noise."""
