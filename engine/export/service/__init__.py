"""A run as a prediction service: a program that answers samples over HTTP."""
