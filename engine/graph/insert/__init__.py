"""Insertion: where new nodes go, and the edits that wire them."""
