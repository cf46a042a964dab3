"""Themes: files with a few colours, read, checked and completed."""
