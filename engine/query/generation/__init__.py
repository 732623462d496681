"""Generation: a language model goes on with a text, token by token."""
