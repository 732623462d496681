"""Model: its analysis, everything to be found before a run, repairs, its source."""
