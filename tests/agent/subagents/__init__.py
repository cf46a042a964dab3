"""Sub-agents through the real loop and provider, against the scripted server."""
