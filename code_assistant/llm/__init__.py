"""Models: the provider protocol, one stream layer, and the mappers on top of it."""
