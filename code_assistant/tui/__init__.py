"""The screen: a Textual app that renders events and sends commands. It knows nothing else of the agent."""
