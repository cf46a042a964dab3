"""Sub-agents on the screen: what is known of each, the view of one, the list of all."""
