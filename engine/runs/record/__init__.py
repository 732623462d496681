"""Record of a run: its store of events and curves, the state folded from them, its artefacts."""
