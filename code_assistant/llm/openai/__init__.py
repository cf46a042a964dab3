"""Everything that speaks OpenAI's Chat Completions: OpenAI itself, gateways, and servers on one's own machine."""
