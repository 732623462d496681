"""Analysis of custom code from its syntax: what a file defines. Nothing of it ever runs here."""
