"""Shape analysis: types through the graph on the meta device, rules, problems. Needs torch."""
