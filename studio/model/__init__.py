"""The Model workspace, a folder a tool."""
