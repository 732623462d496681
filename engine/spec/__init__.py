"""The run specification: what a run computes, as a value."""
