"""The offline explorer, piece by piece."""
