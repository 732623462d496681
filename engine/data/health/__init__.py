"""Health of data: what may be wrong with samples, labels and parts."""
