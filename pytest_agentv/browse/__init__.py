"""Sessions of all clients on a screen: find them, read them, import them. Needs Textual."""
