"""The prompts of the built-in sub-agents, a Markdown file each."""
