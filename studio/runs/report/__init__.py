"""Report of runs: its dialog, and its form as PDF."""
