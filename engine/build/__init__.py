"""From a graph to source, module, shapes and problems. Needs torch."""
