"""Certificate of a run: that a resume computes the same bits."""
