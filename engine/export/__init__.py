"""Writing models to files that other programs read. Needs torch."""
