"""Devices of this machine."""
