"""States of single nodes: muted, skipped, frozen, initialised otherwise; each with its edit."""
