"""Techniques of training: one file each, behind :class:`~engine.train.technique.base.Technique`."""
