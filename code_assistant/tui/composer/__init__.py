"""Where the person writes: the multi-line input with its history, completion, pastes and drafts."""
