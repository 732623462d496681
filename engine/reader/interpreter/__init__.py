"""Abstract interpreter: what the expressions and statements of a model's text stand for."""
