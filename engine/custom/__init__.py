"""Custom code of the user: trust, the module it becomes, a watchdog for code without an end."""
