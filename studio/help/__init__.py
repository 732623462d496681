"""Help: the manual, preferences, the tour, what is known of the installation."""
