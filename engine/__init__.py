"""The product without a screen: graph, code, data, training, runs and export."""
