"""Bytes of the web as text: the encoding is found as browsers find it, and bad bytes become U+FFFD."""

from __future__ import annotations

import codecs
import re

from code_assistant.web.media_types import MediaType

BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
LOOKED_AT_BYTES = 2048
IN_META = re.compile(rb"<meta\s[^>]{0,400}?charset\s*=\s*[\"']?\s*([a-z0-9_.:-]{1,40})", re.IGNORECASE)
IN_XML = re.compile(rb"\s*<\?xml\s[^>]{0,200}?encoding\s*=\s*[\"']([a-z0-9_.:-]{1,40})", re.IGNORECASE)
# Only encodings that pages have: others of Python's are slow on purpose-made text, or unpack it.
KNOWN = frozenset(
    (
        *("utf-8", "utf-16", "utf-16-le", "utf-16-be"),
        *(f"iso8859-{number}" for number in (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 14, 15, 16)),
        *(f"cp{number}" for number in (437, 850, 866, 874, 932, 949, 950, *range(1250, 1259))),
        *("ascii", "koi8-r", "koi8-u", "mac-roman", "mac-cyrillic", "tis-620"),
        *("shift_jis", "euc_jp", "iso2022_jp", "gb2312", "gbk", "gb18030", "big5", "big5hkscs", "euc_kr", "johab"),
    )
)
# Names that browsers know and Python does not.
OTHER_NAMES = {
    "iso-8859-8-i": "iso8859-8",
    "unicode-1-1-utf-8": "utf-8",
    "windows-31j": "cp932",
    "windows-874": "cp874",
    "windows-949": "cp949",
    "x-cp1250": "cp1250",
    "x-cp1251": "cp1251",
    "x-cp1252": "cp1252",
    "x-euc-jp": "euc_jp",
    "x-gbk": "gbk",
    "x-mac-cyrillic": "mac-cyrillic",
    "x-mac-roman": "mac-roman",
    "x-sjis": "cp932",
}
# What pages mean by these names, which is more than the names say.
MEANT = {
    "ascii": "cp1252",
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "iso8859-11": "cp874",
    "tis-620": "cp874",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "big5": "big5hkscs",
    "utf-16": "utf-16-le",
}


def text_of(body: bytes, kind: MediaType) -> str:
    for mark, encoding in BYTE_ORDER_MARKS:
        if body.startswith(mark):
            return body[len(mark) :].decode(encoding, "replace")
    encoding = _known(kind.charset) or _declared(body[:LOOKED_AT_BYTES], kind) or "utf-8"
    return body.decode(encoding, "replace")


def _declared(head: bytes, kind: MediaType) -> str | None:
    """What the page says of itself, where it is of a kind that can."""
    found = IN_XML.match(head) or (IN_META.search(head) if kind.is_html else None)
    encoding = _known(found[1].decode("ascii")) if found else None
    # A page whose declaration can be read byte by byte is not in UTF-16, whatever it says.
    return "utf-8" if encoding and encoding.startswith("utf-16") else encoding


def _known(label: str) -> str | None:
    if not label:
        return None
    try:
        name = codecs.lookup(OTHER_NAMES.get(label.lower(), label)).name
    except LookupError:
        return None
    return MEANT.get(name, name) if name in KNOWN else None
