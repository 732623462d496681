"""Projects: opened, saved, made, found again after a crash."""
