"""Commands: what menus, shortcuts and the Ctrl+K palette are made from."""
