"""Gestures of the mouse and keyboard on the canvas, one class each."""
