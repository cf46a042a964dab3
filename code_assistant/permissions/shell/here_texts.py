"""Texts that a command gives to its programs to read, `<<END`, where it is certain that nothing in them runs."""

from __future__ import annotations

import re

from code_assistant.permissions.shell.bounds import is_cheap_to_parse
from code_assistant.permissions.shell.parsing import parse, text_of, walk

_BEGINS = re.compile(r"<<[ \t]*(['\"]?)(\w+)\1(?=[ \t;|&>)]|\Z)")
_EXPANDS = re.compile(r"[$`\\]")


def without_texts(command: str) -> str:
    """The command without such texts, as far as the lines and the parser agree on where they are."""
    if "<<" not in command or not is_cheap_to_parse(command):
        return command
    root = parse(command)
    bodies = {node.start_point[0]: text_of(node) for node in walk(root) if node.type == "heredoc_body"}
    kept: list[str] = []
    lines = command.split("\n")
    at = 0
    while at < len(lines):
        kept.append(lines[at])
        begins = _BEGINS.findall(lines[at])
        at += 1
        if root.has_error or len(begins) != 1 or lines[at - 1].count("<<") != 1 or begins[0][1] not in lines[at:]:
            continue
        quote, end = begins[0]
        body = "".join(f"{line}\n" for line in lines[at : lines.index(end, at)])
        if bodies.get(at) == body and (quote or not _EXPANDS.search(body)):
            at = lines.index(end, at)
    return "\n".join(kept)
