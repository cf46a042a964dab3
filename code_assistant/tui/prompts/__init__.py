"""What the assistant asks the person, inside the transcript: permissions, questions, plans."""
