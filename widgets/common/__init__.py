"""Parts that all widgets share: theme, icons, search, notices and small widgets."""
