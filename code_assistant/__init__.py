"""A terminal coding assistant whose sub-agents can be trusted."""

__version__ = "0.1.0"
