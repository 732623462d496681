"""The one door from the window and the command line to everything that needs torch."""
