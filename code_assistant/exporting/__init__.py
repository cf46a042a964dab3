"""Sessions as documents for people: Markdown, and one HTML file that needs nothing else."""
