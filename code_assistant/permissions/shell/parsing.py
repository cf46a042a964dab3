"""The real parser, tree-sitter-bash: loaded on first use, asked for the tokens of plain lists and for all commands.

Trees are walked without recursion and with their anonymous tokens, for those carry meaning: `&` has no node of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

from code_assistant.permissions.shell.analysis import Redirection, Word
from code_assistant.permissions.shell.ansi_quotes import decoded, unquoted, without_quotes
from code_assistant.permissions.shell.lexing import COMMAND_START, RESERVED
from code_assistant.permissions.shell.name_lists import names
from code_assistant.permissions.shell.words import NotPlain, scan_word

if TYPE_CHECKING:
    from tree_sitter import Language, Node

# Nodes that only hold others.
_HOLDERS = names(
    "program list pipeline redirected_statement command command_name file_redirect"
    " test_command unary_expression binary_expression"
)
_ATOMS = names("word number string raw_string concatenation brace_expression file_descriptor test_operator $")
_PARTS_OF_ATOMS = names('word number string raw_string string_content brace_expression { .. } " $')
_OPERATORS = names("&& || ; | > >> >| >& &> &>> < [ ] ! = == !=")
_COMMANDS = names("command test_command declaration_command unset_command")
_NOT_WORDS = names("file_redirect heredoc_redirect herestring_redirect variable_assignment comment")
_UNQUOTED = names("word { } brace_expression extglob_pattern")
_EXPANDING = re.compile(r"[*?\[{]")
_QUOTED = re.compile(r"[\\'\"]")
# By the text: to the parser `! ((x))` is one shell in another, and `time declare -i x` a program with words.
_EVALUATING_ANYWHERE = (
    (re.compile(r"\(\(|\$\["),),
    (re.compile(r"\[\["), re.compile(r"\s-(?:v|R|eq|ne|lt|le|gt|ge)\s")),
    (re.compile(r"\b(?:declare|typeset|local|readonly|export)\s"), re.compile(r"\s[-+][a-zA-Z]*[in]")),
)
# The rest of what evaluates what it is given: not `${a[0]}`, `${a[@]}`, `${a:-b}`, `${a:0:1}`.
_EVALUATING = {
    "array": re.compile(r"[\s(]\[(?!\d+\])"),
    "subscript": re.compile(r"\[(?!(?:[@*]|\d+)\])"),
    "expansion": re.compile(r"\A\$\{!|@P\}\Z|\A\$\{\w+(?:\[.*\])?:(?![-=?+]|[\s\d:-]+\})", re.DOTALL),
    # Bash works out twice where these lead, unless it is a number.
    "file_redirect": re.compile(r"\A\w*[<>]&\s*(?![\d-]+\Z)"),
}
_ESCAPED_IN_TEXT = re.compile(r"\\([$`\\])")
_BACKQUOTES = re.compile(r"(?<!\\)`")
_END_OF_TEXT = re.compile(r"\\?([\w.-]+)|(?P<quote>['\"])([\w. -]+)(?P=quote)")
_OTHERWISE = "it can be read in more than one way"


@lru_cache(maxsize=1)
def _language() -> Language:
    import tree_sitter_bash
    from tree_sitter import Language

    return Language(tree_sitter_bash.language())


def parse(command: str) -> Node:
    from tree_sitter import Parser

    # One for each text: commands of several agents are read in several threads.
    return Parser(_language()).parse(command.replace("\0", " ").encode(errors="replace")).root_node


def text_of(node: Node) -> str:
    return (node.text or b"").decode(errors="replace")


def walk(root: Node) -> Iterator[Node]:
    """Every node, anonymous ones too, in the order of the text."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        yield node
        waiting.extend(reversed(node.children))


def plain_tokens(root: Node) -> list[str]:
    """The tokens of a plain list in their order; raises NotPlain at the first node that does not belong into one."""
    tokens: list[str] = []
    waiting = [root]
    while waiting:
        node = waiting.pop()
        kind = node.type
        if kind in _ATOMS:
            _check_atom(node)
            tokens.append(text_of(node))
        elif kind in _HOLDERS:
            if kind in ("command_name", "test_command"):
                tokens.append(COMMAND_START)
            waiting.extend(reversed(node.children))
        elif kind in _OPERATORS and not node.is_named:
            tokens.append(kind)
        elif kind != "comment" and kind.strip():
            raise NotPlain(_OTHERWISE)
    if root.has_error:
        raise NotPlain(_OTHERWISE)
    return tokens


def _check_atom(atom: Node) -> None:
    for node in walk(atom):
        if node is not atom and node.type not in _PARTS_OF_ATOMS:
            raise NotPlain(_OTHERWISE)


def commands_in(root: Node) -> Iterator[tuple[Word, ...]]:
    """The words of every simple command, at any depth."""
    for node in walk(root):
        if node.type in _COMMANDS:
            words = [_word(part) for part in _words_of(node)]
        elif node.type == "redirected_statement" and node.children[0].type in _COMMANDS:
            words = [_word(part) for part in (*_words_of(node.children[0]), *_words_after_targets(node))]
        else:
            continue
        if words:
            yield tuple(words)


def redirections_in(root: Node) -> Iterator[Redirection]:
    """Every redirection to or from a file, at any depth."""
    for node in walk(root):
        if node.type == "file_redirect" and len(node.children) > 1:
            operators = [child.type for child in node.children if not child.is_named]
            targets = [child for child in node.named_children if child.type != "file_descriptor"]
            if operators and targets and (operators[0] not in (">&", "<&") or targets[0].type != "number"):
                yield Redirection(operators[0], _word(targets[0]), writes=operators[0] != "<")


def _word(node: Node) -> Word:
    return Word(text_of(node), value_of(node))


def _words_of(command: Node) -> Iterator[Node]:
    for child in command.children:
        if child.type == "command_name":
            yield from child.children or [child]
        elif child.type not in _NOT_WORDS:
            yield child


def _words_after_targets(statement: Node) -> Iterator[Node]:
    """Words after a redirection are taken for a part of it."""
    for redirection in statement.children:
        if redirection.type == "file_redirect":
            named = [child for child in redirection.named_children if child.type != "file_descriptor"]
            yield from named[1:]


def value_of(node: Node) -> str | None:
    """What a word would be given as; None where only running it could tell."""
    if node.type in ("ansi_c_string", "translated_string"):
        return decoded(text_of(node)) if node.type == "ansi_c_string" else value_of(node.children[-1])
    text = text_of(node)
    try:
        scan = scan_word(text)
    except NotPlain:
        return _joined_values(node) if node.type == "concatenation" else None
    return scan.word(0).value if scan.end == len(text) else None


def _joined_values(word: Node) -> str | None:
    """The value of a word that holds `$'…'` among others."""
    parts = [value_of(child) for child in word.children]
    # What stands for other words does so together with its neighbours.
    stands_for_others = any(_EXPANDING.search(text_of(child)) for child in word.children if child.type in _UNQUOTED)
    return None if None in parts or stands_for_others else "".join(part for part in parts if part is not None)


def texts_in(root: Node) -> Iterator[str]:
    """What is given to programs to read: `<<` and `<<<`."""
    for node in walk(root):
        if node.type == "heredoc_body":
            yield text_of(node)
            if not is_literal_text(node):
                yield _ESCAPED_IN_TEXT.sub(r"\1", text_of(node))
        elif node.type == "herestring_redirect":
            yield from (value for word in node.named_children if (value := value_of(word)) is not None)
            written = text_of(node).partition("<<<")[2]
            yield from (unquoted(written), without_quotes(written))


def is_read_for_certain(root: Node) -> bool:
    """Whether the parser had no trouble, nor took words of the shell for programs, nor texts after `<<` for others."""
    return not root.has_error and all(map(_is_what_it_seems, walk(root)))


def _is_what_it_seems(node: Node) -> bool:
    if node.type == "command_name":
        return text_of(node) not in RESERVED and not _is_timed_word_of_the_shell(node)
    if node.type == "command_substitution":
        # To the parser they are nested; to bash the next one is the end.
        return len(_BACKQUOTES.findall(text_of(node))) <= 2 or not text_of(node).startswith("`")
    if node.type != "heredoc_redirect":
        return True
    parts = {child.type: text_of(child) for child in node.children}
    end = _END_OF_TEXT.fullmatch(parts.get("heredoc_start", ""))
    if end is None:
        return False
    word = end[1] or end[3]
    lines = [line.strip() for line in parts.get("heredoc_body", "").split("\n")]
    return parts.get("heredoc_end", "").strip() == word and word not in lines


def _is_timed_word_of_the_shell(name: Node) -> bool:
    """`time [[ … ]]`: to the parser a program with two brackets for its first word."""
    words = [] if name.parent is None or text_of(name) != "time" else [text_of(each) for each in name.parent.children]
    return any(word in RESERVED for word in words[1:3])


def is_literal_text(node: Node) -> bool:
    """Whether it is a text after `<<` in which nothing is substituted, since the word that ends it is quoted."""
    if node.type != "heredoc_body" or node.parent is None:
        return False
    starts = [each for each in node.parent.children if each.type == "heredoc_start"]
    return any(_QUOTED.search(text_of(each)) for each in starts)


def evaluates_again(root: Node) -> bool:
    """Whether it holds what works out the contents of variables: arithmetic, subscripts, `${!x}`, `[[ -v x ]]`."""
    text = text_of(root)
    if any(all(pattern.search(text) for pattern in patterns) for patterns in _EVALUATING_ANYWHERE):
        return True
    return any(_is_evaluating(node) for node in walk(root))


def _is_evaluating(node: Node) -> bool:
    pattern = _EVALUATING.get(node.type)
    return pattern is not None and pattern.search(text_of(node)) is not None
