"""Tables of edits: the bytes before, what is replaced, and the bytes after or the words of the refusal."""

from __future__ import annotations

from typing import Any

UTF_16_LE = "\ufeff".encode("utf-16-le")
LONG = b"x" * 2_500_000


def change(old: str, new: str, everywhere: bool = False) -> dict[str, Any]:
    return {"old_text": old, "new_text": new, "replace_all": everywhere}


def marked(text: str, codec: str) -> bytes:
    return f"\ufeff{text}".encode(codec)


# What is in the file, what is replaced by what, what is in the file then.
KEPT_BYTES: dict[str, tuple[bytes, str, str, bytes]] = {
    "ascii": (b"one\ntwo\n", "two", "2", b"one\n2\n"),
    "at the start": (b"one\ntwo\n", "one", "1", b"1\ntwo\n"),
    "all of it": (b"one\n", "one\n", "two\n", b"two\n"),
    "to nothing": (b"one\n", "one\n", "", b""),
    "a line removed": (b"a\nb\nc\n", "b\n", "", b"a\nc\n"),
    "a line added": (b"a\nc\n", "a\n", "a\nb\n", b"a\nb\nc\n"),
    "longer": (b"a\nb\n", "b", "b" * 70_000, b"a\n" + b"b" * 70_000 + b"\n"),
    "no newline at the end": (b"one\ntwo", "two", "2", b"one\n2"),
    "no newline at the end, change before": (b"one\ntwo", "one", "1", b"1\ntwo"),
    "newline added at the end": (b"one", "one", "one\n", b"one\n"),
    "newline removed at the end": (b"one\n", "one\n", "one", b"one"),
    "blank lines at the end": (b"one\n\n\n", "one", "1", b"1\n\n\n"),
    "trailing blanks": (b"one  \n\ttwo\t\n", "one", "1", b"1  \n\ttwo\t\n"),
    "only blanks differ": (b"a  b\n", "a  b", "a b", b"a b\n"),
    "form feed and other controls": (b"a\x0cb\x1b[0m\x7f\nc\n", "c", "d", b"a\x0cb\x1b[0m\x7f\nd\n"),
    "unicode line separators are no line ends": (
        "a\u2028b\x85c\u2029d\ne\n".encode(),
        "e",
        "f\ng",
        "a\u2028b\x85c\u2029d\nf\ng\n".encode(),
    ),
    "utf-8": ("grün\nrot\n".encode(), "grün", "blau", b"blau\nrot\n"),
    "utf-8, new characters": (b"a\nb\n", "b", "ü\U0001f600", "a\nü\U0001f600\n".encode()),
    "utf-8 beyond the plane": ("\U0001f600a\U0001f601\n".encode(), "a", "ä", "\U0001f600ä\U0001f601\n".encode()),
    "decomposed stays decomposed": ("e\u0301 a\n".encode(), " a", " b", "e\u0301 b\n".encode()),
    "composed stays composed": ("\u00e9 a\n".encode(), " a", " b", "\u00e9 b\n".encode()),
    "decomposed is found decomposed": ("e\u0301\n".encode(), "e\u0301", "\u00e9", "\u00e9\n".encode()),
    "utf-8 with a mark": (b"\xef\xbb\xbfone\n", "one", "zw\u00f6lf", b"\xef\xbb\xbfzw\xc3\xb6lf\n"),
    "utf-8 with a mark, crlf": (b"\xef\xbb\xbfa\r\nb\r\n", "a\nb", "c\nd", b"\xef\xbb\xbfc\r\nd\r\n"),
    "utf-8 with two marks": (b"\xef\xbb\xbf\xef\xbb\xbfa\n", "a", "b", b"\xef\xbb\xbf\xef\xbb\xbfb\n"),
    "utf-16 le": (marked("grün\n", "utf-16-le"), "ü", "u", marked("grun\n", "utf-16-le")),
    "utf-16 be": (marked("grün\n", "utf-16-be"), "ü", "u", marked("grun\n", "utf-16-be")),
    "utf-16 le, crlf": (marked("a\r\nb\r\n", "utf-16-le"), "b", "b\nc", marked("a\r\nb\r\nc\r\n", "utf-16-le")),
    "utf-16 pairs": (
        marked("\U0001f600a\n", "utf-16-le"),
        "a",
        "\U0001f601",
        marked("\U0001f600\U0001f601\n", "utf-16-le"),
    ),
    "utf-16 with an odd byte at the end": (UTF_16_LE + b"a\0b\0c", "b", "d", UTF_16_LE + b"a\0d\0c"),
    "utf-16 with half a pair": (UTF_16_LE + b"\x3d\xd8a\0\n\0", "a", "b", UTF_16_LE + b"\x3d\xd8b\0\n\0"),
    "utf-16 with half a pair, the other half": (
        UTF_16_LE + b"a\0\x00\xde\n\0",
        "a",
        "b",
        UTF_16_LE + b"b\0\x00\xde\n\0",
    ),
    "utf-16 with a NUL": (UTF_16_LE + b"a\0\0\0", "a", "b", UTF_16_LE + b"b\0\0\0"),
    "utf-32 le": (marked("grün\n", "utf-32-le"), "ü", "\U0001f600", marked("gr\U0001f600n\n", "utf-32-le")),
    "utf-32 be": (marked("grün\n", "utf-32-be"), "ü", "u", marked("grun\n", "utf-32-be")),
    "utf-32 with bytes left over": (
        marked("ab", "utf-32-le") + b"\1\2\3",
        "b",
        "c",
        marked("ac", "utf-32-le") + b"\1\2\3",
    ),
    "windows-1252": (b"gr\xfcn \x80\n", "grün", "größer", b"gr\xf6\xdfer \x80\n"),
    "windows-1252, the euro": (b"gr\xfcn \x80\n", "\u20ac", "\u201eEUR\u201c", b"gr\xfcn \x84EUR\x93\n"),
    "windows-1252, crlf": (b"gr\xfcn\r\nrot\r\n", "grün\nrot", "r\u00f6ter", b"r\xf6ter\r\n"),
    "latin-1": (b"gr\xfcn \x81\n", "grün", "gr\u00f6n", b"gr\xf6n \x81\n"),
    "latin-1, a control": (b"gr\xfcn \x81\n", "\x81", "\x8d", b"gr\xfcn \x8d\n"),
    "damaged utf-8": ("grün".encode() + b"\xff\xfe\nrot\n", "rot", "blau", "grün".encode() + b"\xff\xfe\nblau\n"),
    "damaged utf-8, beside the damage": (
        "ü".encode() + b"\xc3 a\n",
        " a",
        " \u00e4",
        "ü".encode() + b"\xc3 \xc3\xa4\n",
    ),
    "damaged utf-8, cut at the end": ("grün a".encode() + b"\xe2\x82", "a", "b", "grün b".encode() + b"\xe2\x82"),
    "crlf": (b"a\r\nb\r\nc\r\n", "b", "x", b"a\r\nx\r\nc\r\n"),
    "crlf, over lines": (b"a\r\nb\r\nc\r\n", "a\nb", "x\ny\nz", b"x\r\ny\r\nz\r\nc\r\n"),
    "crlf, no newline at the end": (b"a\r\nb", "b", "b\nc", b"a\r\nb\r\nc"),
    "crlf, named": (b"a\r\nb\r\n", "a\r\nb", "x\r\ny", b"x\r\ny\r\n"),
    "crlf, named, made lf": (b"a\r\nb\r\nc\r\n", "a\r\nb", "a\nb", b"a\nb\r\nc\r\n"),
    "crlf, new text names it": (b"a\r\nb\r\n", "a\nb", "x\r\ny", b"x\r\ny\r\n"),
    "crlf, a blank line": (b"a\r\n\r\nb\r\n", "a\n\nb", "a\nb", b"a\r\nb\r\n"),
    "crlf, beginning with the newline": (b"a\r\nb\r\n", "\nb", "\nc", b"a\r\nc\r\n"),
    "crlf, a newline joined away": (b"a\r\nb\r\n", "a\nb", "ab", b"ab\r\n"),
    "lf, old and new text name crlf": (b"a\nb\nc\n", "a\r\nb", "x\r\ny", b"x\ny\nc\n"),
    "lf, new text names crlf": (b"a\nb\n", "b", "b\r\nc", b"a\nb\r\nc\n"),
    "lone cr": (b"a\rb\rc\r", "b", "x", b"a\rx\rc\r"),
    "lone cr, over lines": (b"a\rb\rc\r", "a\nb", "x\ny\nz", b"x\ry\rz\rc\r"),
    "lone cr within lf": (b"a\rb\nc\n", "c", "x\ny", b"a\rb\nx\ny\n"),
    "lone cr within lf, named": (b"a\rb\nc\n", "a\rb", "a b", b"a b\nc\n"),
    "lone cr within crlf": (b"a\rb\r\nc\r\n", "c", "x\ny", b"a\rb\r\nx\r\ny\r\n"),
    "double cr": (b"a\r\r\nb\r\r\n", "b", "c", b"a\r\r\nc\r\r\n"),
    "mixed, in the lf part": (b"a\nb\nc\r\nd\r\n", "b", "b\nx", b"a\nb\nx\nc\r\nd\r\n"),
    "mixed, in the crlf part": (b"a\nb\nc\r\nd\r\n", "d", "d\nx", b"a\nb\nc\r\nd\r\nx\r\n"),
    "mixed, over both": (b"a\nb\r\nc\n", "a\nb\nc", "x\ny\nz", b"x\ny\r\nz\n"),
    "mixed, a line inserted": (b"a\r\nb\nc\r\nd\n", "b\nc\n", "b\nx\nc\n", b"a\r\nb\nx\nc\r\nd\n"),
    "mixed, a line removed": (b"a\r\nb\nc\r\nd\n", "a\nb\nc\n", "a\nc\n", b"a\r\nc\r\nd\n"),
    "mixed, named literally": (b"a\r\nb\na\nb\n", "a\r\nb", "x\r\ny", b"x\r\ny\na\nb\n"),
    "mixed, one of each": (b"a\r\nb\n", "a\nb\n", "a\nb\nc\n", b"a\r\nb\nc\n"),
    "mixed, a line before one with another end": (b"a\nb\r\nc\r\n", "b", "x\nb", b"a\nx\nb\r\nc\r\n"),
    "mixed, in the first line": (b"a\nb\r\n", "a", "x\ny", b"x\ny\nb\r\n"),
    "mixed with a mark": (b"\xef\xbb\xbfa\r\nb\nc\n", "c", "d", b"\xef\xbb\xbfa\r\nb\nd\n"),
    "mixed in utf-16": (marked("a\r\nb\nc\r\n", "utf-16-be"), "b", "x", marked("a\r\nx\nc\r\n", "utf-16-be")),
    "mixed and damaged": (b"\xc3\xbc\xff\r\nb\nc\n", "b\nc", "b\nd", b"\xc3\xbc\xff\r\nb\nd\n"),
    "a line of 5 MB": (LONG + b"needle" + LONG, "needle", "pin", LONG + b"pin" + LONG),
    "a pattern is no pattern": (b"a.c\nabc\n", "a.c", r"\1\g<0>", b"\\1\\g<0>\nabc\n"),
}


EVERYWHERE: dict[str, tuple[bytes, str, str, bytes]] = {
    "once": (b"a\n", "a", "b", b"b\n"),
    "thrice": (b"a b a\na\n", "a", "xy", b"xy b xy\nxy\n"),
    "side by side": (b"aaaa\n", "a", "b", b"bbbb\n"),
    "crlf": (b"a\r\nb\r\na\r\nb\r\n", "a\nb", "c", b"c\r\nc\r\n"),
    "mixed, each with its own ends": (b"a\r\nb\r\na\nb\n", "a\nb", "a\nc", b"a\r\nc\r\na\nc\n"),
    "utf-16": (marked("aba", "utf-16-be"), "a", "ü", marked("übü", "utf-16-be")),
    "the new text holds the old": (b"a a\n", "a", "aa", b"aa aa\n"),
}


LINES = b"alpha\nbeta\nalpha\nGamma  delta\nCaf\xc3\xa9\n"
REFUSED: dict[str, tuple[bytes, list[dict[str, Any]], str]] = {
    "twice": (LINES, [change("alpha", "x")], r"old_text occurs 2 times \(lines 1, 3\)\. Add lines around it"),
    "many times": (b"a\n" * 30, [change("a", "x")], r"occurs 30 times \(lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, …\)"),
    "very many times": (b"a\n" * 1500, [change("a", "x")], r"occurs more than 1000 times"),
    "twice, overlapping": (b"aaa\n", [change("aa", "x")], r"occurs 2 times \(lines 1, 1\)"),
    "twice by line ends": (b"a\r\nb\na\nb\n", [change("a\nb", "x")], r"occurs 2 times \(lines 1, 3\)"),
    "all, overlapping": (b"aaa\n", [change("aa", "x", True)], r"overlap each other at line 1"),
    "not there": (LINES, [change("omega", "x")], r"old_text was not found in a\.txt\. Read the place again"),
    "letter case": (LINES, [change("BETA", "x")], r"With other letter case it would match at line 2\."),
    "white space": (LINES, [change("Gamma delta", "x")], r"With other white space it would match at line 4\."),
    "indentation": (
        b"if x:\n\ty\n",
        [change("if x:\n    y", "z")],
        r"With other white space it would match at line 1\.",
    ),
    "unicode form, file composed": (LINES, [change("Cafe\u0301", "x")], r"another Unicode form .* at line 5\."),
    "unicode form, file decomposed": (
        "a\nCafe\u0301\n".encode(),
        [change("Caf\u00e9", "x")],
        r"Unicode form .* at line 2\.",
    ),
    "line numbers": (LINES, [change("     2\tbeta", "x")], r"begins with line numbers as read_files shows them"),
    "only newlines": (LINES, [change("\n\n\n", "x")], r"not found in a\.txt\. Read the place again"),
    "empty file": (b"", [change("a", "x")], r"The file is empty; use write_file"),
    "empty old text": (LINES, [change("", "x")], r"old_text is empty"),
    "the same": (LINES, [change("beta", "beta")], r"are the same"),
    "the same but for line ends": (b"a\r\nb\r\n", [change("a\nb", "a\r\nb")], r"a\.txt would not be changed by that"),
    "not in this encoding": (
        b"gr\xfcn \x80\n",
        [change("gr", "\U0001f600")],
        r"Windows-1252, which does not have the character",
    ),
    "not in Latin-1": (
        b"gr\xfcn \x81\n",
        [change("gr", "\u20ac")],
        r"Latin-1, which does not have the character '€' \(U\+20AC\)",
    ),
    "old text not in this encoding": (b"gr\xfcn \x80\n", [change("\U0001f600", "x")], r"was not found"),
    "stand-in in the old text": (
        "ü".encode() + b"\xff\n",
        [change("\ufffd", "x")],
        r"� only stands for bytes that are no text",
    ),
    "stand-in in the new text": ("üa".encode() + b"\xff\n", [change("a", "\ufffd")], r"new_text holds � \(U\+FFFD\)"),
    "stand-in for half a pair": (
        UTF_16_LE + b"\x3d\xd8a\0",
        [change("\ufffd", "x")],
        r"� only stands for bytes that are no text",
    ),
    "one of several not there": (
        LINES,
        [change("beta", "x"), change("omega", "y")],
        r"Edit 2: old_text was not found",
    ),
    "one of several twice": (LINES, [change("alpha", "x"), change("beta", "y")], r"Edit 1: old_text occurs 2 times"),
    "overlap": (LINES, [change("beta\nalpha", "x"), change("alpha\nGamma", "y")], r"Edits 1 and 2 overlap at line 3\."),
    "overlap, turned round": (
        LINES,
        [change("alpha\nGamma", "y"), change("beta\nalpha", "x")],
        r"Edits 1 and 2 overlap",
    ),
    "the same place twice": (LINES, [change("beta", "x"), change("beta", "y")], r"Edits 1 and 2 overlap at line 2\."),
    "one inside another": (LINES, [change("et", "x"), change("beta", "y")], r"Edits 1 and 2 overlap at line 2\."),
    "NUL in the new text": (LINES, [change("beta", "a\0b")], r"new_text holds a NUL character"),
    "NUL in the old text": (LINES, [change("be\0ta", "a")], r"old_text holds a NUL character"),
    "half a character": (LINES, [change("beta", "a\ud83d")], r"new_text holds half a character \(U\+D83D\)"),
    "half a character in the old text": (LINES, [change("\ude00", "a")], r"old_text holds half a character"),
    "binary": (b"\x7fELF\0\0beta", [change("beta", "x")], r"a\.txt is a binary file; only text can be changed"),
    "binary after a long beginning": (b"beta" + b"x" * 20_000 + b"\0", [change("beta", "x")], r"is a binary file"),
    "no UTF-16": (UTF_16_LE + b"\0\xd8a\0" + b"\0\xdc\0\xdc", [change("zzz", "x")], r"was not found"),
    "no UTF-32": (b"\xff\xfe\0\0\xff\xff\xff\xff", [change("a", "x")], r"begins like UTF-32 but is not"),
}
