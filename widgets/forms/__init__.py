"""Forms built from view models."""
