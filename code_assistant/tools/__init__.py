"""What the model can do. One file a tool, its prompt text in a .md beside it."""
