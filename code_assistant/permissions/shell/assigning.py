"""Variables that the shell and other programs take for commands: `PAGER='rm a'`, `PS4='$(rm a)'`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from code_assistant.permissions.shell.analysis import Word
from code_assistant.permissions.shell.ansi_quotes import unquoted, without_quotes
from code_assistant.permissions.shell.name_lists import names
from code_assistant.permissions.shell.parsing import text_of, value_of, walk
from code_assistant.permissions.shell.starters import STARTERS, WRAPPERS

if TYPE_CHECKING:
    from tree_sitter import Node

_ASSIGNING = names("make gmake export declare typeset local readonly")
_TAKEN_FOR_COMMANDS = re.compile(
    r"PS[0-4]|BASH_ENV|ENV|LESSOPEN|LESSCLOSE|GIT_EXTERNAL_DIFF|GIT_CONFIG_VALUE_\d+|GIT_PROXY_COMMAND|TAR_OPTIONS"
    r"|\w*(?:PAGER|EDITOR|VISUAL|BROWSER|COMMAND|ASKPASS|RSH|_SSH|SHELL)"
)


def commands_assigned_in(root: Node) -> Iterator[str]:
    """The values of such variables, wherever they are set."""
    for node in walk(root):
        name = node.child_by_field_name("name") if node.type == "variable_assignment" else None
        if name is not None and _TAKEN_FOR_COMMANDS.fullmatch(text_of(name)):
            values = [child for child in node.named_children if child.id != name.id]
            yield from (value for each in values if (value := value_of(each)) is not None)
            yield from (text for each in values for text in (unquoted(text_of(each)), without_quotes(text_of(each))))


def commands_assigned_by(words: Sequence[Word]) -> Iterator[str]:
    """The values in words like `PAGER=rm a`, for programs and words of the shell that set variables."""
    name = (words[0].value or "").rpartition("/")[2]
    if name in _ASSIGNING or name in WRAPPERS or name in STARTERS:
        for word in words[1:]:
            variable, is_assignment, value = word.as_text.partition("=")
            if is_assignment and _TAKEN_FOR_COMMANDS.fullmatch(variable):
                yield value
