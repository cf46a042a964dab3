"""Windows over the screen: choosing from a list, reading something longer, the keys, the address of a link."""
