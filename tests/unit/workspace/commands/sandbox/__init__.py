"""The walls around commands."""
