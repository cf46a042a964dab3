"""The lists that bash takes literally: words, quotes, `&& || ; |`, new lines, comments and simple redirections.

This reads nothing else, by the rules of bash itself; whatever is more is refused. What it reads must be what the real
parser found, too: where the two do not agree, nothing is allowed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from code_assistant.permissions.shell.analysis import Redirection, Word
from code_assistant.permissions.shell.name_lists import names
from code_assistant.permissions.shell.words import METACHARACTERS, NotPlain, scan_word

NEW_LINE = "\n"
COMMAND_START = "<command>"
_BLANK = re.compile(r"(?:[ \t]|(?<=[ \t])\\\n|\A\\\n)+")
_COMMENT = re.compile(r"#[^\n]*")
_REDIRECTION = re.compile(r"(?:([0-9]*)(>>|>\||>&|<<<|<<-?|<&|<>|<\(|>\(|>|<)|(&>>|&>))")
_OPERATOR = re.compile(r"&&|\|\||;;&|;;|;&|\|&|[;&|()\n]")
_DUPLICATE = re.compile(r"[12](?![^ \t\n|&;()<>])")
_LIST_OPERATORS = frozenset({"&&", "||", ";", "|", NEW_LINE})
ASSIGNMENT = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)(?:\[[^=]*\])?\+?=")
RESERVED = names("! [[ { } case coproc do done elif else esac fi for function if in select then until while")
_NOT_TAKEN = {
    "&": "a part of it runs in the background",
    "|&": "it holds the operator |&",
    "(": "a part of it runs in a shell of its own, or it defines a function",
    ")": "a part of it runs in a shell of its own, or it defines a function",
    "<<": "it holds text for a program (<<)",
    "<<-": "it holds text for a program (<<)",
    "<<<": "it holds text for a program (<<<)",
    "<(": "it holds a substitution",
    ">(": "it holds a substitution",
}
_NETWORK = ("/dev/tcp/", "/dev/udp/")


@dataclass(slots=True)
class SimpleCommand:
    connector: str
    words: list[Word] = field(default_factory=list[Word])
    redirections: list[Redirection] = field(default_factory=list[Redirection])


@dataclass(slots=True)
class Lexed:
    """Its commands, and its tokens as they are written: what the other parser is compared by."""

    commands: list[SimpleCommand] = field(default_factory=list[SimpleCommand])
    tokens: list[str] = field(default_factory=list[str])


def lex(text: str) -> Lexed:
    """The commands of a plain list; raises NotPlain for whatever is more than that."""
    return _Lexer(text).run()


class _Lexer:
    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._lexed = Lexed()
        self._command = SimpleCommand("")

    def run(self) -> Lexed:
        text = self._text
        while self._at < len(text):
            if blank := _BLANK.match(text, self._at):
                self._at = blank.end()
            elif text[self._at] == "#":
                self._at = self._matched(_COMMENT).end()
            elif redirection := _REDIRECTION.match(text, self._at):
                self._redirect(redirection)
            elif operator := _OPERATOR.match(text, self._at):
                self._operator(operator)
            else:
                self._word()
        self._end_command(is_last=True)
        return self._lexed

    def _matched(self, pattern: re.Pattern[str]) -> re.Match[str]:
        match = pattern.match(self._text, self._at)
        if match is None:
            raise NotPlain("it cannot be read with certainty")
        return match

    def _word(self) -> None:
        scan = scan_word(self._text, self._at)
        word = scan.word(self._at)
        if word.text.startswith("{") and word.text.endswith("}") and self._text[scan.end : scan.end + 1] in ("<", ">"):
            raise NotPlain("it holds a redirection that names a variable")
        if not self._command.words:
            _check_first(word)
            self._lexed.tokens.append(COMMAND_START)
        self._command.words.append(word)
        self._lexed.tokens.append(word.text)
        self._at = scan.end

    def _operator(self, match: re.Match[str]) -> None:
        operator = match.group()
        if operator not in _LIST_OPERATORS:
            raise NotPlain(_NOT_TAKEN.get(operator, f"it holds the operator {operator}"))
        self._at = match.end()
        if operator == NEW_LINE and not self._has_begun():
            return
        self._end_command(is_last=False)
        if operator != NEW_LINE:
            self._lexed.tokens.append(operator)
        self._command = SimpleCommand(operator)

    def _has_begun(self) -> bool:
        return bool(self._command.words or self._command.redirections)

    def _end_command(self, *, is_last: bool) -> None:
        if self._command.words:
            self._lexed.commands.append(self._command)
            return
        is_left_open = self._command.connector not in ("", ";", NEW_LINE)
        if self._has_begun() or is_left_open or not is_last:
            raise NotPlain("a part of it has no program")

    def _redirect(self, match: re.Match[str]) -> None:
        descriptor, single, both = match.groups()
        operator: str = single or both
        self._at = match.end()
        if operator in _NOT_TAKEN:
            raise NotPlain(_NOT_TAKEN[operator])
        if operator in ("<&", "<>") or descriptor not in (None, "", "0", "1", "2"):
            raise NotPlain("it holds an unusual redirection")
        self._lexed.tokens.extend(part for part in (descriptor, operator) if part)
        if blank := _BLANK.match(self._text, self._at):
            self._at = blank.end()
        if operator == ">&":
            duplicate = _DUPLICATE.match(self._text, self._at)
            if duplicate is None:
                raise NotPlain("it holds an unusual redirection")
            self._lexed.tokens.append(duplicate.group())
            self._at = duplicate.end()
            return
        self._target(operator)

    def _target(self, operator: str) -> None:
        following = self._text[self._at : self._at + 1]
        if not following or following in METACHARACTERS or following == "#":
            raise NotPlain("a redirection in it leads nowhere")
        scan = scan_word(self._text, self._at)
        word = scan.word(self._at)
        if word.value is None:
            raise NotPlain("it is known only when it runs where a redirection leads")
        if word.value.startswith(_NETWORK):
            raise NotPlain("a redirection in it leads to the network")
        self._at = scan.end
        self._lexed.tokens.append(word.text)
        if word.value != "/dev/null":
            self._command.redirections.append(Redirection(operator, word, writes=operator != "<"))


def _check_first(word: Word) -> None:
    if word.text in RESERVED:
        raise NotPlain(f"it holds control flow ({word.text})")
    if assignment := ASSIGNMENT.match(word.text):
        raise NotPlain(f"it sets {assignment.group(1)} for the command")
    if word.value is None:
        raise NotPlain("it is known only when it runs which program that is")
    if not word.value:
        raise NotPlain("a part of it has no program")
