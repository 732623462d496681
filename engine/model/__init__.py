"""Model of a graph: its source, its ``nn.Module``, its analysis, repairs that help."""
