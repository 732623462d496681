"""Code generation: the classes of a model and its blocks, written of a graph."""
