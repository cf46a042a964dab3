"""How file names, sizes and numbers of things are written for people and models."""

from __future__ import annotations


def plain_name(name: str) -> str:
    """A name as one line of valid text; bytes that are no UTF-8 become replacement characters."""
    if name.isprintable():
        return name
    text = name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    return text.replace("\n", "\\n").replace("\r", "\\r")


def counted(number: int, one: str, many: str | None = None) -> str:
    """`1 file`, `3 files`."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def plain_size(size: int) -> str:
    """A size in bytes as people write it."""
    if size < 1000:
        return f"{size} B"
    value = float(size)
    for unit in ("KB", "MB", "GB"):
        value /= 1000
        if value < 999.5:
            return f"{value:.1f} {unit}"
    return f"{value / 1000:.1f} TB"
