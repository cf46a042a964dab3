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
    # Characters by their names, which Markdown knows, in every place that it has.
    "x&#13;y&#12;&#27;[31m&#x9b;&NewLine;&Tab;&#x202e;z&#x200b;&#xE0041;&lrm;&shy;&zwj;&#xfe0f;&#127;&#xd800;&#0;",
    "# &#13;\n\n> &#x202e;\n\n- **&#12;** _&rlm;_ ~~&#x2066;~~ `&#13;`\n\n<p>&#13;</p>",
    "[a&#13;](http://x/&#13;&#x202e; '&#x202e;') ![b&#13;&#x202e;](http://y/&#13;) <http://z/%0d%1b%e2%80%ae>",
    "| a&#13; | &#x202e; |\n|---|---|\n| &shy; | [c&lrm;](http://x/%0d) |\n\n```&#13;&#x202e;\n&#13;\n```",
    "a" * 5000,
    " ",
    "",
)
UNSAFE = re.compile(
    "[\x00-\x1f\x7f-\x9f\u00ad\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\U000e0000-\U000e0fff\ud800-\udfff]"
)


def is_safe(text: str) -> bool:
    return UNSAFE.search(text) is None
