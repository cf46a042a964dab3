"""Programs that are given a text in a language of their own, in which files may be named."""

from __future__ import annotations

import re
from collections.abc import Iterator

from code_assistant.permissions.shell.analysis import Member, Word
from code_assistant.permissions.shell.name_lists import names

TEXT_PROGRAMS = names(
    "sed gsed ssed awk gawk mawk nawk perl python pypy ipython ruby irb node nodejs deno bun lua luajit php tclsh "
    "expect Rscript julia guile osascript pwsh sh bash dash zsh ksh fish jq yq gojq ed ex vi vim nvim emacs sqlite bc "
    "dc m4 gnuplot"
)
VERSION = re.compile(r"[-.\d]+\Z")
BETWEEN_NAMES = re.compile(r"[\s;&|<>()`${}=:,@+?!#%^\"'\\\[\]*]+")
# sed takes what follows these letters at once for a name: `$r.env`, `s/a/b/w.env`.
NAMED_IN_SED = re.compile(r"(?=[rRwW]\s*([^\s;}]{1,255}))")


def takes_text(member: Member) -> bool:
    return VERSION.sub("", member.program or "") in TEXT_PROGRAMS


def names_in_texts(member: Member) -> Iterator[Word]:
    """Whatever in its words could name a file; nothing for other programs."""
    if not takes_text(member):
        return
    for word in member.words[1:]:
        text = word.text if word.value is None else word.value
        found = dict.fromkeys(BETWEEN_NAMES.split(text))
        if (member.program or "").endswith("sed"):
            found |= dict.fromkeys(NAMED_IN_SED.findall(text))
        yield from (Word(piece, piece) for piece in found if piece)
