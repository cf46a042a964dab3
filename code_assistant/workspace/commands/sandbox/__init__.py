"""Walls around commands: what they can write, see and reach, whatever they are."""
