"""Speed: which settings make the steps of a run faster."""
