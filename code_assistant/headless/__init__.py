"""The front end without a screen: one prompt, one answer, three output formats."""
