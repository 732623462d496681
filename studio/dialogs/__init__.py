"""The few dialogs."""
