"""Sub-agents: the tool that spawns them, the live ones, what they are made from, and the references they give."""
