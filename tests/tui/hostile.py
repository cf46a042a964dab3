"""Strings that have broken screens: for all tests that show text of others."""

from __future__ import annotations

import re

HOSTILE = (
    "[red]markup[/red]",
    "[/oops",
    "x [/",
    "[@click=app.quit]click[/]",
    "\x1b]0;title\x07\x1b[31mred\x1b[0m",
    "\x1b]52;c;aGVsbG8=\x1b\\",
    "\x9b31m\x85\x7f\x00",
    "line\nbreak\r\nand\ttab",
    "\u202eesrever\u2066\u200b\ufeff",
    "漢字かな交じり文とても長い名前" * 4,
    "e\u0301\u0300\u0302" * 40,
    "\u0301leading",
    "👩‍👩‍👧‍👦🏳️‍🌈" * 9,
    "\U000e0041\U000e0042",
    "\ud800",
    "a" * 5000,
    " ",
    "",
)
UNSAFE = re.compile("[\x00-\x1f\x7f-\x9f\u200b\u202a-\u202e\u2066-\u2069\ufeff\U000e0000-\U000e0fff\ud800-\udfff]")


def is_safe(text: str) -> bool:
    return UNSAFE.search(text) is None
