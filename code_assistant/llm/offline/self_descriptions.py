"""What a file says about itself at its beginning: a docstring, a comment, a heading."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass

from code_assistant.llm.offline.languages import language_of
from code_assistant.llm.offline.tool_texts import FileText, Line

_DOCSTRING = re.compile(r"""[rRuU]?(\"{3}|'{3}|"|')(.*)""", re.DOTALL)
_HASH = re.compile(r"#+\s?(.*)", re.DOTALL)
_SLASHES = re.compile(r"//[/!]?\s?(.*)", re.DOTALL)
_DASHES = re.compile(r"--\s?(.*)", re.DOTALL)
_BLOCK_COMMENT = re.compile(r"/\*+!?\s?(.*)", re.DOTALL)
_HEADING = re.compile(r"#{1,6}\s+(.*?)\s*#*\s*\Z", re.DOTALL)
_TITLE = re.compile(r"<title>\s*([^<]+?)\s*</title>", re.IGNORECASE)
_JSON_DESCRIPTION = re.compile(r'\s*"description"\s*:\s*("(?:[^"\\]|\\.)*")')
_NO_DESCRIPTION = re.compile(
    r"copyright|licen[sc]e|spdx|all rights reserved|eslint|prettier|@ts-|-\*-|vim:|coding[:=]|pylint|noqa|<\?php"
    r"|generated|pragma|clang-format|region\b|use strict|permission is hereby",
    re.IGNORECASE,
)
_BADGE = re.compile(r"\s*(?:\[?!\[|<|\[!)")
_LETTERS = re.compile(r"[^\W\d_]{2}")
_WITH_HASH = (
    *("Python", "Ruby", "Shell", "YAML", "TOML", "Make", "Docker"),
    *("Perl", "R", "Elixir", "PowerShell", "Nix", "INI", "CMake"),
)
_WITH_DASHES = ("SQL", "Haskell", "Lua")
_LINE_COMMENTS = {**dict.fromkeys(_WITH_HASH, _HASH), **dict.fromkeys(_WITH_DASHES, _DASHES)}
_LONGEST_SEARCH = 40


@dataclass(frozen=True, slots=True)
class SelfDescription:
    text: str
    path: str
    first: int
    last: int


def self_description(file: FileText) -> SelfDescription | None:
    """Its first words about itself, where its beginning was read and has any."""
    lines = file.lines[:_LONGEST_SEARCH]
    if not lines or lines[0].number != 1:
        return None
    found = _found(file.path, lines)
    if found is None:
        return None
    text, first, last = found
    text = " ".join(text.split())
    return SelfDescription(text, file.path, first, last) if _LETTERS.search(text) else None


def _found(path: str, lines: Sequence[Line]) -> tuple[str, int, int] | None:
    language = language_of(path)
    match language:
        case "Markdown" | "reStructuredText" | "Text":
            return _first_words_of_prose(lines)
        case "HTML" | "SVG":
            return next(
                ((found[1], line.number, line.number) for line in lines if (found := _TITLE.search(line.text))), None
            )
        case "JSON":
            return _json_description(lines)
        case "Python":
            return _docstring(lines) or _comment(lines, _HASH)
        case _:
            return _comment(lines, _LINE_COMMENTS.get(language or "", _SLASHES))


def heading_and_paragraph(lines: Sequence[Line]) -> tuple[Line | None, tuple[Line, ...]]:
    """The first heading of a Markdown text, and the first paragraph of words that is no badge, picture or code."""
    heading: Line | None = None
    paragraph: list[Line] = []
    fence = False
    for line in lines:
        text = line.text.strip()
        if text.startswith(("```", "~~~")):
            fence = not fence
        found = _HEADING.fullmatch(text)
        if found is not None and not fence and not paragraph:
            heading = heading or Line(line.number, found[1])
        elif text and not fence and found is None and not _is_furniture(text):
            paragraph.append(line)
        elif paragraph:
            break
    return heading, tuple(paragraph)


def _is_furniture(text: str) -> bool:
    """Badges, pictures, rules, tables, lists and fences: what stands around the words of a page."""
    return bool(_BADGE.match(text)) or not _LETTERS.search(text) or text.startswith(("```", "~~~", "|", "- ", "* "))


def _first_words_of_prose(lines: Sequence[Line]) -> tuple[str, int, int] | None:
    heading, paragraph = heading_and_paragraph(lines)
    if heading is not None:
        return heading.text, heading.number, heading.number
    if paragraph:
        return paragraph[0].text, paragraph[0].number, paragraph[0].number
    return None


def _json_description(lines: Sequence[Line]) -> tuple[str, int, int] | None:
    for line in lines:
        if found := _JSON_DESCRIPTION.match(line.text):
            try:
                return str(json.loads(found[1])), line.number, line.number
            except ValueError:
                return None
    return None


def _docstring(lines: Sequence[Line]) -> tuple[str, int, int] | None:
    first = next((line for line in lines if line.text.strip() and not line.text.startswith("#")), None)
    opening = _DOCSTRING.match(first.text) if first is not None else None
    if first is None or opening is None:
        return None
    end, said = opening[1], [opening[2]]
    if end in opening[2]:
        return opening[2].partition(end)[0], first.number, first.number
    for line in lines:
        if line.number <= first.number:
            continue
        before, closing, _ = line.text.partition(end)
        if (not before.strip() and any(part.strip() for part in said)) or len(end) == 1:
            return " ".join(said), first.number, line.number - 1
        said.append(before.strip())
        if closing:
            return " ".join(said), first.number, line.number
    return " ".join(said), first.number, lines[-1].number


def _comment(lines: Sequence[Line], line_comment: re.Pattern[str]) -> tuple[str, int, int] | None:
    """The first comment that is about the file, and not about its licence or for a tool."""
    for block in _comment_blocks(lines, line_comment):
        said = [line for line in block if line.text]
        if said and not any(_NO_DESCRIPTION.search(line.text) for line in said):
            paragraph = _up_to_blank(block)
            return " ".join(line.text for line in paragraph), paragraph[0].number, paragraph[-1].number
    return None


def _up_to_blank(block: Sequence[Line]) -> list[Line]:
    paragraph: list[Line] = []
    for line in block:
        if line.text:
            paragraph.append(line)
        elif paragraph:
            break
    return paragraph


def _comment_blocks(lines: Sequence[Line], line_comment: re.Pattern[str]) -> list[list[Line]]:
    blocks: list[list[Line]] = [[]]
    inside = False
    for line in lines:
        text = line.text.strip()
        opening = _BLOCK_COMMENT.match(text) if line_comment is _SLASHES and not inside else None
        if opening is not None or inside:
            body, closing, _ = (opening[1] if opening is not None else text).partition("*/")
            blocks[-1].append(Line(line.number, body.strip().lstrip("*").strip()))
            inside = not closing
            if closing:
                blocks.append([])
        elif text.startswith(("#!", "<?php", "package ")):
            continue
        elif found := line_comment.match(text):
            blocks[-1].append(Line(line.number, found[1].strip()))
        elif not text:
            blocks.append([])
        else:
            break
    return blocks
