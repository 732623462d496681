"""The Train workspace, and training on other devices and machines."""
