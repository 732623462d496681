"""Pictures: galleries, a pad to draw on, and a window that slides over a grid."""
