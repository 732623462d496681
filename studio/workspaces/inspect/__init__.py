"""The Inspect workspace: one file a page."""
