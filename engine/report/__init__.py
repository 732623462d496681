"""Report of a run or a comparison of runs: one HTML file that names no address, without torch."""
