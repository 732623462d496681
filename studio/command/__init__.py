"""Commands and features: what folders contribute to the window, and the context they share."""
