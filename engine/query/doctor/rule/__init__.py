"""Rules of the doctor, one a file."""
