"""Pictures with boxes: the formats that boxes come in, and what belongs to which picture."""
