"""Shell commands taken apart by a real parser: what would run, whether it only reads, and why not."""
