"""What may be written as a rule, and the words for what may not."""

from __future__ import annotations

import pytest

from code_assistant.errors import NotAvailableYet, UsageError
from code_assistant.permissions.command_patterns import CommandPattern
from code_assistant.permissions.hosts import Domain
from code_assistant.permissions.path_patterns import PathPattern
from code_assistant.permissions.rule_book import RuleBook
from code_assistant.permissions.rule_parsing import parse_rule
from tests.rows import each_row
from tests.unit.permissions.support import ANCHORS

READING = {"read_files", "list_files", "glob_files", "search_files"}
EDITING = {"edit", "write_file", "delete_files"}

WHOLE_TOOLS = [
    ("Read", READING),
    ("Grep", READING),
    ("Glob", READING),
    ("LS", READING),
    ("Edit", EDITING),
    ("Write", EDITING),
    ("MultiEdit", EDITING),
    ("Bash", {"execute_command"}),
    ("Bash(*)", {"execute_command"}),
    ("execute_command(*)", {"execute_command"}),
    ("WebFetch", {"web_fetch"}),
    ("WebFetch(*)", {"web_fetch"}),
    ("Agent", {"spawn_agent"}),
    ("Task(*)", {"spawn_agent"}),
    ("spawn_agent", {"spawn_agent"}),
    ("WebSearch", {"web_search"}),
    ("WebSearch(*)", {"web_search"}),
    ("TodoWrite", {"todo"}),
    ("AskUserQuestion", {"ask_user"}),
    ("ExitPlanMode", {"present_plan"}),
    ("BashOutput", {"command_output"}),
    ("KillShell", {"stop_command"}),
    *((name, {name}) for name in sorted(READING | EDITING)),
    ("execute_command", {"execute_command"}),
    ("web_fetch", {"web_fetch"}),
    ("web_search", {"web_search"}),
    ("todo", {"todo"}),
    ("ask_user", {"ask_user"}),
    ("  Bash  ", {"execute_command"}),
]


@each_row(("text", "tools"), WHOLE_TOOLS)
def test_a_name_alone_means_the_whole_tool(text: str, tools: set[str]) -> None:
    rule = parse_rule(text, ANCHORS)
    assert (rule.tools, rule.specifier, rule.text) == (tools, None, text.strip())


COMMANDS = [
    ("Bash(make test)", "make test"),
    ("Bash( make test )", " make test "),
    ("Bash(a (b) c)", "a (b) c"),
    ("Bash(echo ')')", "echo ')'"),
    ("Bash(first\nsecond)", "first\nsecond"),
    ("Bash(echo what?)", "echo what?"),
    ("Bash(git diff:)", "git diff:"),
    ("execute_command(ls)", "ls"),
]


@each_row(("text", "command"), COMMANDS)
def test_a_command_is_taken_as_it_is_written(text: str, command: str) -> None:
    specifier = parse_rule(text, ANCHORS).specifier
    assert isinstance(specifier, CommandPattern)
    assert specifier.text == command


DOMAINS = [
    ("WebFetch(domain:example.org)", "example.org", False),
    ("WebFetch(domain:*.example.org)", "example.org", True),
    ("WebFetch(domain:Example.ORG)", "example.org", False),
    ("WebFetch(DOMAIN:example.org)", "example.org", False),
    ("WebFetch(domain:example.org.)", "example.org", False),
    ("WebFetch(domain:*.Example.org.)", "example.org", True),
    ("WebFetch(domain:localhost)", "localhost", False),
    ("WebFetch(domain:my_host-1.internal)", "my_host-1.internal", False),
    ("WebFetch(domain:xn--bcher-kva.example)", "xn--bcher-kva.example", False),
    ("WebFetch(domain:127.0.0.1)", "127.0.0.1", False),
    ("WebFetch(domain:[::1])", "::1", False),
    ("WebFetch(domain:::1)", "::1", False),
    ("WebFetch(domain:[0:0:0:0:0:0:0:1])", "::1", False),
    ("WebFetch(domain:[::ffff:127.0.0.1])", "127.0.0.1", False),
    ("web_fetch(domain:example.org)", "example.org", False),
]


@each_row(("text", "host", "with_subdomains"), DOMAINS)
def test_a_domain_is_one_host_or_all_below_it(text: str, host: str, with_subdomains: bool) -> None:
    assert parse_rule(text, ANCHORS).specifier == Domain(host, with_subdomains)


PATHS = ["src/**", "*.md", "/a", "//etc/hosts", "~/notes/**", "./a", "a b", "Makefile", "**", "*", "[ab].txt", "a\\*b"]
PATHS += ["#x", "a{b}", "\\{a,b}", "~$draft", "src/", "a//b", "\\!a", "/!a", "[!a]", "..."]


@each_row("path", PATHS)
@each_row("tool", ["Read", "Edit", "read_files", "write_file"])
def test_a_path_pattern_is_understood(tool: str, path: str) -> None:
    rule = parse_rule(f"{tool}({path})", ANCHORS)
    assert isinstance(rule.specifier, PathPattern)
    assert rule.text == f"{tool}({path})"


REFUSED = [
    ("", "is not a rule"),
    ("   ", "is not a rule"),
    ("()", "is not a rule"),
    ("(make)", "is not a rule"),
    ("Bash(make", "is not a rule"),
    ("Bash make", "is not a rule"),
    ("Bash)", "is not a rule"),
    ("Bash(make) now", "is not a rule"),
    ("git diff", "is not a rule"),
    ("Bsh", "Did you mean Bash?"),
    ("bash", "Did you mean Bash?"),
    ("READ", "Did you mean Read?"),
    ("read_file", "Did you mean read_files?"),
    ("Reed(src/**)", "Did you mean Read?"),
    ("Zzzzzz", "Rules are for:"),
    ("Agents", "there is no tool 'Agents'"),
    ("TaskList", "there is no tool 'TaskList'"),
    ("mcp__", "there is no tool 'mcp__'"),
    ("Bash()", "says nothing between its brackets"),
    ("Bash(  )", "says nothing between its brackets"),
    ("Read()", "says nothing between its brackets"),
    ("WebFetch()", "says nothing between its brackets"),
    ("TodoWrite(x)", "for the whole tool"),
    ("ask_user(x)", "for the whole tool"),
    ("WebSearch(python)", "for the whole tool"),
    ("WebSearch(domain:example.org)", "for the whole tool"),
    ("Read(..)", "not a path pattern"),
    ("Read(../other)", "not a path pattern"),
    ("Read(src/../../other)", "not a path pattern"),
    ("Edit(~/../other)", "not a path pattern"),
    ("Read(.)", "not a path pattern"),
    ("Read(src/./a)", "not a path pattern"),
    ("Read(/)", "not a path pattern"),
    ("Read(//)", "not a path pattern"),
    ("Read(~/)", "not a path pattern"),
    ("Read(./)", "not a path pattern"),
    ("Read([a)", "not a path pattern"),
    ("Read(a\\)", "not a path pattern"),
    ("Read([z-a])", "not a path pattern"),
    ("Read([[:nonsense:]])", "not a path pattern"),
    ("Read(a\0b)", "not a path pattern"),
    (f"Read({'a' * 5000})", "not a path pattern"),
    ("Read(~)", "Write ~/**"),
    ("Read(!src/**)", "cannot say what it is not for"),
    ("Edit(*.{ts,tsx})", "a rule for each alternative"),
    ("Edit(src/{a,b}/**)", "a rule for each alternative"),
    ("WebFetch(example.org)", "does not name a domain"),
    ("WebFetch(https://example.org)", "does not name a domain"),
    ("WebFetch(domain:)", "does not name a domain"),
    ("WebFetch(domain: example.org)", "does not name a domain"),
    ("WebFetch(domain:*)", "does not name a domain"),
    ("WebFetch(domain:*.)", "does not name a domain"),
    ("WebFetch(domain:*example.org)", "does not name a domain"),
    ("WebFetch(domain:a.*.org)", "does not name a domain"),
    ("WebFetch(domain:*.*.org)", "does not name a domain"),
    ("WebFetch(domain:ex?mple.org)", "does not name a domain"),
    ("WebFetch(domain:example.org:8080)", "does not name a domain"),
    ("WebFetch(domain:abc.de:80)", "does not name a domain"),
    ("WebFetch(domain:[::1]:80)", "does not name a domain"),
    ("WebFetch(domain:example.org/path)", "does not name a domain"),
    ("WebFetch(domain:me@example.org)", "does not name a domain"),
    ("WebFetch(domain:https://example.org)", "does not name a domain"),
    ("WebFetch(domain:a..b)", "does not name a domain"),
    ("WebFetch(domain:.example.org)", "does not name a domain"),
    ("WebFetch(domain:example.org..)", "does not name a domain"),
    ("WebFetch(domain:...)", "does not name a domain"),
    ("WebFetch(domain:-a.org)", "does not name a domain"),
    ("WebFetch(domain:127.1)", "does not name a domain"),
    ("WebFetch(domain:0x7f.0.0.1)", "does not name a domain"),
    ("WebFetch(domain:0x7f000001)", "does not name a domain"),
    ("WebFetch(domain:2130706433)", "does not name a domain"),
    ("WebFetch(domain:[fe80::1%eth0])", "does not name a domain"),
    ("WebFetch(domain:*.0.0.1)", "does not name a domain"),
    ("WebFetch(domain:*.127.0.0.1)", "does not name a domain"),
    ("WebFetch(domain:b\u00fccher.example)", "xn--"),
    ("WebFetch(domain:ex\u0430mple.org)", "xn--"),
]


@each_row(("text", "words"), REFUSED)
def test_what_makes_no_sense_is_refused_in_words(text: str, words: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_rule(text, ANCHORS)
    assert not isinstance(caught.value, NotAvailableYet)
    assert words in str(caught.value)


LATER = [
    "mcp__server",
    "mcp__server__tool",
    "mcp__server__*",
]


@each_row("text", LATER)
def test_what_will_be_there_later_is_refused_as_such(text: str) -> None:
    with pytest.raises(NotAvailableYet, match="is not available yet"):
        parse_rule(text, ANCHORS)


@pytest.mark.parametrize("side", ["allow", "deny"])
def test_safe_b8_one_bad_rule_among_good_ones_is_reported_on_either_side(side: str) -> None:
    with pytest.raises(UsageError, match="Did you mean Bash"):
        RuleBook(ANCHORS, **{side: ["Read", "Bsh(make)"]})


@each_row(
    "text", ["EditFile(/a.py)", "EditFile(src/a.py)", "EditFile(//etc/hosts)", "EditFile(~/a)", "EditFile(/a\\*b)"]
)
def test_a_single_file_is_one_path_and_no_folder(text: str) -> None:
    rule = parse_rule(text, ANCHORS)
    assert rule.tools == EDITING - {"delete_files"}
    assert isinstance(rule.specifier, PathPattern)
    assert rule.specifier.is_exact
    file = rule.specifier.bases[0] / text[len("EditFile(") : -1].lstrip("/~").replace("\\", "")
    assert rule.specifier.covers_path(file)
    assert not rule.specifier.covers_path(file / "b")


@each_row(
    "text", ["EditFile", "EditFile()", "EditFile(a.py)", "EditFile(src/*.py)", "EditFile(/src/)", "EditFile(**/a)"]
)
def test_what_names_no_single_file_is_refused(text: str) -> None:
    with pytest.raises(UsageError):
        parse_rule(text, ANCHORS)
