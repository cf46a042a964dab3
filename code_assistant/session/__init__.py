"""Sessions on disk: written as they happen, listed, locked, read back, mended."""
