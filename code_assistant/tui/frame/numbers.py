"""Numbers as people read them: tokens, money, time."""

from __future__ import annotations

import math


def tokens(count: int) -> str:
    """`812 tok`, `1.2k tok`, `123k tok`, `1.2M tok`."""
    return f"{short(max(count, 0))} tok"


def counted(count: int, one: str) -> str:
    """`1 turn`, `3 turns`."""
    return f"{count:,} {one}" if count == 1 else f"{count:,} {one}s"


def money(dollars: float) -> str:
    """`$0.04`, `$12.30`. Something that is less than a cent is not nothing."""
    if 0 < dollars < 0.005:
        return "<$0.01"
    return f"${dollars:.2f}"


def is_known(cost: float | None) -> bool:
    return cost is not None and math.isfinite(cost) and cost >= 0


def clock(seconds: float) -> str:
    """`0:12`, `1:02:03`."""
    whole = int(seconds) if math.isfinite(seconds) and seconds > 0 else 0
    hours, rest = divmod(whole, 3600)
    minutes, left = divmod(rest, 60)
    return f"{hours}:{minutes:02}:{left:02}" if hours else f"{minutes}:{left:02}"


def short(count: int) -> str:
    """`812`, `1.2k`, `123k`, `1.2M`."""
    if count < 1000:
        return str(count)
    for unit, size in (("k", 1e3), ("M", 1e6)):
        value = count / size
        if value < 99.95:
            return f"{value:.1f}{unit}"
        # What would round up to a thousand is one of the next unit.
        if value < 999.5:
            return f"{value:.0f}{unit}"
    return f"{count / 1e9:.1f}G"
