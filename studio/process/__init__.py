"""What belongs to the process: threads, ordered writing, settings, crashes, the desktop."""
