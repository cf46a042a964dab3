"""The offline explorer through the real loop, with real tools and real sub-agents."""
