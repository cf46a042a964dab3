"""The agent: loop, executor, history, context, and the live Session that front ends hold."""
