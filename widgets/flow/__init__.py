"""Picture of a way through stages: boxes in lanes, with arrows from each to the next."""
