"""The application: window, command line and what joins them to the engine."""
