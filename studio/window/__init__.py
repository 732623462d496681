"""The frame of the window: docks, status, notifications."""
