"""The folder the assistant works in: containment, reading, searching."""
