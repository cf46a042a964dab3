"""Layered settings, paths, and the one way to read a project's own files."""
