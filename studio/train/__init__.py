"""The Train workspace, and where runs train."""
