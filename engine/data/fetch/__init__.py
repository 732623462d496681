"""Fetching of data from the network: whole and checked, unpacked inside its folder."""
