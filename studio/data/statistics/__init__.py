"""Statistics of the data: numbers of each part, what is left out, and vocabularies."""
