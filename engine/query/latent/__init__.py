"""Latent variables: samples are drawn from points among them, and data are found there."""
