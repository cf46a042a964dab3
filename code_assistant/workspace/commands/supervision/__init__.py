"""The process that looks after commands: it outlives the program, and starts fast because it imports little."""
