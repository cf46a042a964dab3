"""Bytes become text in the encoding that was meant, and never raise."""

from __future__ import annotations

import codecs
import encodings
import pkgutil

from hypothesis import given
from hypothesis import strategies as some

from code_assistant.web.charsets import text_of
from code_assistant.web.media_types import MediaType, media_type
from tests.rows import each_row

HTML, PLAIN, XML = (MediaType(name) for name in ("text/html", "text/plain", "application/xml"))


def kind(charset: str, name: str = "text/html") -> MediaType:
    return MediaType(name, charset)


TEXTS = [
    ("über".encode(), HTML, "über"),
    ("über".encode("latin-1"), HTML, "\ufffdber"),
    ("über".encode("latin-1"), kind("iso-8859-1"), "über"),
    ("über".encode("latin-1"), kind("ISO-8859-1"), "über"),
    (b"\x80\x93", kind("iso-8859-1"), "€“"),
    (b"\x81", kind("windows-1252"), "\ufffd"),
    ("€".encode("iso8859-15"), kind("iso-8859-15"), "€"),
    ("привет".encode("cp1251"), kind("windows-1251"), "привет"),
    ("привет".encode("koi8-r"), kind("koi8-r"), "привет"),
    ("日本".encode("shift_jis"), kind("shift_jis"), "日本"),
    ("日本".encode("shift_jis"), kind("x-sjis"), "日本"),
    ("日本".encode("euc_jp"), kind("euc-jp"), "日本"),
    ("中文".encode("gbk"), kind("gb2312"), "中文"),
    ("中文".encode("big5"), kind("big5"), "中文"),
    ("한글".encode("euc_kr"), kind("euc-kr"), "한글"),
    ("über".encode("utf-16-le"), kind("utf-16"), "über"),
    (codecs.BOM_UTF8 + "über".encode(), kind("iso-8859-1"), "über"),
    (codecs.BOM_UTF16_LE + "über".encode("utf-16-le"), HTML, "über"),
    (codecs.BOM_UTF16_BE + "über".encode("utf-16-be"), kind("utf-8"), "über"),
    (b'<meta charset="latin1">\xfc', HTML, '<meta charset="latin1">ü'),
    (b"<META http-equiv=x content='text/html; charset=windows-1251'>\xef", HTML, None),
    (b"<meta charset=utf-16>x", HTML, "<meta charset=utf-16>x"),
    (b'<meta charset="latin1">\xfc', kind("utf-8"), '<meta charset="latin1">\ufffd'),
    (b'<meta charset="latin1">\xfc', PLAIN, '<meta charset="latin1">\ufffd'),
    (b'<?xml version="1.0" encoding="iso-8859-1"?>\xfc', XML, '<?xml version="1.0" encoding="iso-8859-1"?>ü'),
    (b'<?xml version="1.0" encoding="iso-8859-1"?>\xfc', HTML, '<?xml version="1.0" encoding="iso-8859-1"?>ü'),
    (b"\xff\xfe", HTML, ""),
    (b"\xff\xfea", HTML, "\ufffd"),
    (b"a\xf0\x9f\x98", HTML, "a\ufffd"),
    (b"\xed\xa0\x80", HTML, "\ufffd\ufffd\ufffd"),
    (b"x", kind("no-such-thing"), "x"),
    (b"x", kind(""), "x"),
]


@each_row(("body", "of", "expected"), TEXTS)
def test_texts(body: bytes, of: MediaType, expected: str | None) -> None:
    text = text_of(body, of)
    assert text == expected if expected is not None else text.endswith("п")


DANGEROUS = ["zlib", "bz2", "hex", "base64", "rot13", "uu", "punycode", "idna", "unicode_escape", "raw_unicode_escape"]
DANGEROUS += ["utf-7", "undefined", "mbcs", "oem", "utf-32", "cp037", "hz", "utf_8_sig", "../x", "os.path", "a" * 5000]


@each_row("charset", DANGEROUS)
def test_safe_w3_encodings_that_are_none_of_pages_count_as_none(charset: str) -> None:
    body = "über".encode()
    assert text_of(body, kind(charset)) == "über"
    assert text_of(b"<meta charset=" + charset.encode() + b">" + body, HTML).endswith("über")


@given(some.binary(max_size=300), some.sampled_from([each.name for each in pkgutil.iter_modules(encodings.__path__)]))
def test_any_bytes_become_text_without_surrogates(body: bytes, charset: str) -> None:
    for of in (kind(charset), HTML, XML):
        text_of(body, of).encode("utf-8")


HEADERS = [
    ("text/html", "text/html", ""),
    ("Text/HTML; Charset=UTF-8", "text/html", "UTF-8"),
    ('text/html;charset="utf-8"', "text/html", "utf-8"),
    ("text/html; charset='utf-8'; x=y", "text/html", "utf-8"),
    ("text/html; x=y; charset = utf-8", "text/html", "utf-8"),
    ("text/html; charset=", "text/html", ""),
    ("text/html; notcharset=x", "text/html", ""),
    ("  text/plain  ", "text/plain", ""),
    ("text/plain;", "text/plain", ""),
    ("", "", ""),
    ("text", "", ""),
    ("text/html, text/plain", "", ""),
    ("text/html\x00", "", ""),
    ("x" * 200 + "/y", "", ""),
]


@each_row(("header", "name", "charset"), HEADERS)
def test_headers(header: str, name: str, charset: str) -> None:
    assert media_type(header) == MediaType(name, charset)


@given(some.text(max_size=200))
def test_any_header_is_read(header: str) -> None:
    assert len(media_type(header).name) <= 121
