"""The pages in the middle of the window, in the order of the work."""
