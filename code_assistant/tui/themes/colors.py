"""Colours as numbers: mixing them, and how well one is read on another (WCAG 2)."""

from __future__ import annotations

import re
from typing import TypeAlias

RGB: TypeAlias = tuple[int, int, int]

TERMINAL_COLORS = (
    "default",
    *("black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"),
    *("bright_black", "bright_red", "bright_green", "bright_yellow"),
    *("bright_blue", "bright_magenta", "bright_cyan", "bright_white"),
)
_HEX = re.compile(r"#(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})")
_STEPS = 20


def is_hex(text: str) -> bool:
    return _HEX.fullmatch(text) is not None


def full_hex(text: str) -> str:
    """`#abc` as `#aabbcc`; small letters."""
    digits = text[1:].lower()
    return "#" + (digits if len(digits) == 6 else "".join(digit * 2 for digit in digits))


def rgb(color: str) -> RGB:
    digits = full_hex(color)[1:]
    return int(digits[0:2], 16), int(digits[2:4], 16), int(digits[4:6], 16)


def blend(start: str, end: str, share: float) -> str:
    """The colour that lies `share` of the way from one to the other."""
    mixed = (round(a + (b - a) * share) for a, b in zip(rgb(start), rgb(end), strict=True))
    return "#" + "".join(f"{value:02x}" for value in mixed)


def luminance(color: str) -> float:
    red, green, blue = (_linear(value / 255) for value in rgb(color))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """From 1 (the same) to 21 (black on white)."""
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def readable(color: str, towards: str, grounds: tuple[str, ...], ratio: float) -> str:
    """The colour, moved towards another only as far as it takes to be read on all of the grounds."""
    for step in range(_STEPS):
        moved = blend(color, towards, step / _STEPS)
        if all(contrast(moved, ground) >= ratio for ground in grounds):
            return moved
    return towards


def quiet_ground(background: str, tint: str, text: str, ratio: float) -> str:
    """The background with as much of the tint in it as still lets the text be read."""
    for percent in range(18, 0, -2):
        ground = blend(background, tint, percent / 100)
        if contrast(text, ground) >= ratio:
            return ground
    return background


def _linear(value: float) -> float:
    return value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4
