"""Who may do what: modes and the approver that tools ask."""
