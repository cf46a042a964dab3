"""How a session on disk becomes one that goes on: its conversation, and an end for whatever was cut off."""
