"""Low-rank adaptation of layers (LoRA): adding blocks, merging them, and adapter files."""
