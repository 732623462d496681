"""What is being worked on, and what is found out about it."""
