"""Health of data: duplicates, leakage, damaged files, label errors."""
