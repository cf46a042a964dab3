"""Setting up a model: a key, a server on this machine, or exploring without one."""
