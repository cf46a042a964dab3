"""What one sub-agent does by itself, a plan for each kind of task."""
