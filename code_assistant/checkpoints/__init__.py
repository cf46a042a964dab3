"""What files were before the agents of a session changed them, so that it can be taken back."""
