"""The conversation as data: blocks fed by events, testable without a screen."""
