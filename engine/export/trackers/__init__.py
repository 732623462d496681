"""Runs for the trackers of experiments that people use beside Trellis: MLflow, Weights & Biases,
Trackio. None of them is asked over a network: each writes the file that it keeps a run in.
"""
