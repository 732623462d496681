"""The training loop and the process it runs in. Needs torch."""
