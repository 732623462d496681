"""The Inspect workspace, a folder a page."""
