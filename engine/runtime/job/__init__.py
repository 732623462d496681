"""Child processes: how they are started, followed and stopped, and what works in one."""
