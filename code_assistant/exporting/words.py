"""Words that both forms of a document share."""

from __future__ import annotations

CUT = " (cut off)"


def image_words(count: int) -> str:
    """Images are not exported; that there were some is said."""
    if not count:
        return ""
    return "[1 image]" if count == 1 else f"[{count} images]"


def speaker(*, is_main: bool, is_cut: bool) -> str:
    """What stands above words of a model. Those of a sub-agent are its answer only at its end."""
    return f"{'Assistant' if is_main else 'Said'}{CUT if is_cut else ''}"
