"""The Runs workspace, a folder a page."""
