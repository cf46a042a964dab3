"""Texts in languages of their own that start programs: `awk 'BEGIN{system("rm a")}'`, `sed 's/x/rm a/e'`.

Only for rules that deny or ask: it finds rather too much, and only what is written out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from code_assistant.permissions.shell.analysis import Word
from code_assistant.permissions.shell.ansi_quotes import unescaped
from code_assistant.permissions.shell.name_lists import names

_VERSION = re.compile(r"[-.\d]+\Z")
# By their names without a version: `python3.12` is `python`, `m4` is `m`.
_SED = names("sed gsed ssed")
# They hand a line to the shell: `!rm a`, `.shell rm a`.
_WITH_ESCAPES = names("vim vi nvim view gvim vimdiff ex ed less more dc gdb mutt psql mysql mariadb sqlite make gmake")
_STARTS = re.compile(r"system|exec|popen|spawn|subprocess|shell|syscmd")
# What starts programs in languages that are not read by a shell.
_INTERPRETERS = {
    **dict.fromkeys(_WITH_ESCAPES, _STARTS),
    **dict.fromkeys(names("awk gawk mawk nawk"), re.compile(r"system|(?<!\|)\|(?!\|)")),
    **dict.fromkeys(names("perl ruby irb php"), re.compile(rf"{_STARTS.pattern}|`|\bopen\b|\bqx\b|%x")),
    **dict.fromkeys(names("python pypy ipython node nodejs deno bun lua luajit tclsh m emacs Rscript julia"), _STARTS),
}
_ESCAPE = re.compile(r"(?:!|[.:(]?\b(?:shell|system)\s)\s*(?=([^\n]{1,500}))")
_SUBSTITUTE = re.compile(
    r"\bs([^\w\s\\])((?:\\.|(?!\1)[^\\]){0,500})\1((?:\\.|(?!\1)[^\\]){0,500})\1(\w{0,20})", re.DOTALL
)
_EXECUTE = re.compile(r"(?:\A|[\s;{}\d$!/,])e\s*([^\n]+)")
_LITERAL = re.compile(
    r"\"((?:[^\"\\]|\\.){0,500})\"|'((?:[^'\\]|\\.){0,500})'|`([^`]{0,500})`"
    r"|(?:\bq[qwx]?|%[wxqQ]|cmd)\s*[({\[/|]([^)}\]/|]{0,500})",
    re.DOTALL,
)
_MOST_LITERALS = 100
_MOST_WORDS = 8


def started_in_words(words: Sequence[Word]) -> Iterator[str]:
    """The shell texts in what a program is given on its command line; none for one that knows no such language."""
    program = words[0].value or "" if words else ""
    for word in words[1:]:
        yield from started_in_text(program, word.as_text)


def started_in_text(program: str, text: str) -> Iterator[str]:
    name = _VERSION.sub("", program.rpartition("/")[2])
    if name in _SED:
        yield from _started_in_sed(text)
    elif name in _WITH_ESCAPES:
        yield from _ESCAPE.findall(text)
    starts = _INTERPRETERS.get(name)
    if starts is not None and starts.search(text):
        yield from _literals(text)


def _started_in_sed(text: str) -> Iterator[str]:
    for _, _, replacement, flags in _SUBSTITUTE.findall(text):
        if "e" in flags:
            yield unescaped(replacement)
    yield from _EXECUTE.findall(_SUBSTITUTE.sub("", text))


def _literals(text: str) -> Iterator[str]:
    """What is written out in it: each by itself, and with those that follow, as in `["rm", "a"]`."""
    found = [unescaped("".join(groups)) for groups in _LITERAL.findall(text)][:_MOST_LITERALS]
    for at, literal in enumerate(found):
        yield literal
        yield " ".join(found[at : at + _MOST_WORDS])
