"""Tests of how shell commands are read."""
