"""What a hand does on the canvas: one class a gesture."""
