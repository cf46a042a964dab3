"""What the explorer does for each kind of question, a plan each."""
