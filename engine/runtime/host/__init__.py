"""The process that answers questions for the window, and the window's end of it."""
