"""What kind of content an answer says it has, and which kinds are text."""

from __future__ import annotations

import re
from dataclasses import dataclass

FORM = re.compile(r"\s*([a-z0-9!#$&^_.+-]{1,60}/[a-z0-9!#$&^_.+-]{1,60})\s*(?:;(.*))?", re.IGNORECASE | re.DOTALL)
CHARSET = re.compile(r"(?:^|[;\s])charset\s*=\s*[\"']?\s*([a-z0-9_.:-]{1,40})", re.IGNORECASE)
HTML_TYPES = frozenset({"text/html", "application/xhtml+xml"})
# Text that does not say so in its first half.
TEXT_TYPES = frozenset(
    f"application/{name}"
    for name in (
        "ecmascript",
        "graphql",
        "javascript",
        "json",
        "json5",
        "json-seq",
        "jsonl",
        "ndjson",
        "sql",
        "toml",
        "typescript",
        "x-httpd-php",
        "x-javascript",
        "x-json",
        "x-ndjson",
        "x-perl",
        "x-python",
        "x-ruby",
        "x-sh",
        "x-shellscript",
        "x-subrip",
        "x-tex",
        "x-toml",
        "x-yaml",
        "xml",
        "xml-dtd",
        "yaml",
    )
)
TEXT_SUFFIXES = ("+json", "+xml", "+yaml", "+json-seq")


@dataclass(frozen=True, slots=True)
class MediaType:
    """`name` is in lower case, empty where the answer does not say; `charset` as it was written, or empty."""

    name: str
    charset: str = ""

    @property
    def is_html(self) -> bool:
        return self.name in HTML_TYPES

    @property
    def is_text(self) -> bool:
        return self.name.startswith("text/") or self.name in TEXT_TYPES or self.name.endswith(TEXT_SUFFIXES)


def media_type(header: str) -> MediaType:
    """What a Content-Type header says. One that makes no sense counts as none."""
    found = FORM.fullmatch(header)
    if found is None:
        return MediaType("")
    charset = CHARSET.search(found[2] or "")
    return MediaType(found[1].lower(), charset[1] if charset else "")
