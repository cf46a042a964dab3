"""What stands around the transcript: the status above, the activity below, the todo list and the queue."""
