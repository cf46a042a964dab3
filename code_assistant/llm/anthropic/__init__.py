"""The Anthropic provider: one mapper, two transports."""
