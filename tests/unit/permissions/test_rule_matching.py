"""Which requests a rule covers, when it allows and when it denies."""

from __future__ import annotations

import pytest

from code_assistant.permissions.access import CommandAccess, EditAccess, FetchAccess, ReadAccess, ToolAccess
from code_assistant.permissions.approver import PermissionRequest
from code_assistant.permissions.rule_book import RuleBook
from code_assistant.permissions.rule_parsing import parse_rule
from tests.rows import each_row
from tests.unit.permissions.support import (
    ANCHORS,
    command,
    delete,
    edit,
    edit_all,
    fetch,
    place,
    proposed_one,
    read,
    request,
)


def allows(rule: str, asked: PermissionRequest) -> bool:
    return parse_rule(rule, ANCHORS).allows(asked)


def denies(rule: str, asked: PermissionRequest) -> bool:
    return parse_rule(rule, ANCHORS).touches(asked)


ONE_REQUEST_A_TOOL: dict[str, PermissionRequest] = {
    **{name: read("a", tool_name=name) for name in ("read_files", "list_files", "glob_files", "search_files")},
    **{name: edit("a", tool_name=name) for name in ("edit", "write_file")},
    "delete_files": delete("a"),
    "execute_command": command("ls"),
    "web_fetch": fetch("example.org"),
    **{name: request(name, ToolAccess()) for name in ("web_search", "todo", "ask_user", "present_plan")},
}
READING = {"read_files", "list_files", "glob_files", "search_files"}
EDITING = {"edit", "write_file", "delete_files"}
WHOLE = [
    *((name, READING) for name in ("Read", "Grep", "Glob", "LS")),
    *((name, EDITING) for name in ("Edit", "Write", "MultiEdit")),
    ("Bash", {"execute_command"}),
    ("Bash(*)", {"execute_command"}),
    ("WebFetch", {"web_fetch"}),
    ("WebSearch", {"web_search"}),
    ("TodoWrite", {"todo"}),
    ("AskUserQuestion", {"ask_user"}),
    ("ExitPlanMode", {"present_plan"}),
    *((name, {name}) for name in ONE_REQUEST_A_TOOL),
]


@each_row(("rule", "tools"), WHOLE)
def test_a_rule_for_a_whole_tool_allows_just_that_tool(rule: str, tools: set[str]) -> None:
    assert {name for name, asked in ONE_REQUEST_A_TOOL.items() if allows(rule, asked)} == tools


@each_row(("rule", "tools"), WHOLE)
def test_safe_b8_a_rule_for_a_whole_tool_denies_that_tool_and_reading_denies_editing(
    rule: str, tools: set[str]
) -> None:
    expected = tools | EDITING if "read_files" in tools else tools
    assert {name for name, asked in ONE_REQUEST_A_TOOL.items() if denies(rule, asked)} == expected
    book = RuleBook(ANCHORS, deny=[rule])
    assert {name for name in ONE_REQUEST_A_TOOL if book.denying_tool(name)} == expected


COMMANDS = [
    ("make test", "make test", True),
    ("make test", "make  test", False),
    ("make test", "make test ", False),
    ("make test", " make test", False),
    ("make test", "make test\n", False),
    ("make test", "make\ttest", False),
    ("make test", "make test2", False),
    ("make test", "make test; rm -rf x", False),
    ("make test", "make test && true", False),
    ("make test", "make", False),
    ("make test", "Make test", False),
    ("make test", "sudo make test", False),
    ("make test", "make test\u200b", False),
    ("caf\u00e9", "cafe\u0301", False),
    (" make test", " make test", True),
    ("a.c", "abc", False),
    ("echo a?b", "echo a?b", True),
    ("echo a?b", "echo axb", False),
    ("echo [ab]", "echo a", False),
    ("a\nb", "a\nb", True),
]


@each_row(("written", "run", "expected"), COMMANDS)
def test_safe_b8_a_command_rule_is_exact_to_the_byte_but_for_blanks_where_it_denies(
    written: str, run: str, expected: bool
) -> None:
    assert allows(f"Bash({written})", command(run)) is expected
    assert denies(f"Bash({written})", command(run)) is (expected or written.split() == run.split())


# The pattern, the path as it is resolved, whether it is covered by a rule that allows, and by one that denies.
INSIDE_PATHS = [
    # With a slash it counts from the root.
    ("src/a.py", "src/a.py", True),
    ("src/a.py", "lib/src/a.py", False),
    ("src/a.py", "src/a.pyc", False),
    ("src/a.py", "src/xa.py", False),
    ("src/a.py", "srcxa.py", False),
    ("src/a.py", "src/a.py/below", True),
    ("./src/a.py", "src/a.py", True),
    ("./a.py", "a.py", True),
    ("./a.py", "src/a.py", False),
    ("/a.py", "a.py", True),
    ("/a.py", "src/a.py", False),
    ("/src", "src/deep/a.py", True),
    ("/src", "lib/src/a.py", False),
    ("src//a.py", "src/a.py", True),
    # Without one it is a name at any depth.
    ("a.py", "a.py", True),
    ("a.py", "src/deep/a.py", True),
    ("a.py", "src/a.py.bak", False),
    ("a.py", "src/ba.py", False),
    ("src", "src", True),
    ("src", "src/a.py", True),
    ("src", "lib/src/a.py", True),
    ("src", "srcs/a.py", False),
    ("src/", "src/a.py", True),
    ("src/", "lib/src/a.py", True),
    (".env", ".env", True),
    (".env", "deep/.env", True),
    (".env", ".env.example", False),
    ("A.py", "a.py", False),
    # Stars.
    ("*", "a.py", True),
    ("*", "src/deep/a.py", True),
    ("**", "src/deep/a.py", True),
    ("*.py", "a.py", True),
    ("*.py", "src/a.py", True),
    ("*.py", "src/.py", True),
    ("*.py", "src/a.pyc", False),
    ("*.py", "folder.py/inside.txt", True),
    ("src/*.py", "src/a.py", True),
    ("src/*.py", "src/deep/a.py", False),
    ("src/*", "src/a.py", True),
    ("src/*", "src/deep/a.py", True),
    ("src/*", "src", False),
    ("src/**", "src/a.py", True),
    ("src/**", "src/deep/er/a.py", True),
    ("src/**", "src", False),
    ("src/**", "srcs/a.py", False),
    ("src/**", "lib/src/a.py", False),
    ("**/src/**", "lib/src/a.py", True),
    ("**/src/**", "src/a.py", True),
    ("**/a.py", "a.py", True),
    ("**/a.py", "src/a.py", True),
    ("**/a.py", "src/deep/a.py", True),
    ("**/*.py", "src/deep/a.py", True),
    ("**/*.py", "src/deep/a.md", False),
    ("/**/a.py", "src/deep/a.py", True),
    ("**/.env", "deep/er/.env", True),
    ("src/**/a.py", "src/a.py", True),
    ("src/**/a.py", "src/deep/er/a.py", True),
    ("src/**/a.py", "lib/a.py", False),
    ("src/**/test_*.py", "src/x/test_a.py", True),
    ("s*c/a.py", "src/a.py", True),
    ("s*c/a.py", "s/c/a.py", False),
    ("src*", "src-old/a.py", True),
    # Other wild cards.
    ("?.py", "a.py", True),
    ("?.py", "ab.py", False),
    ("src?a.py", "src/a.py", False),
    ("[ab].py", "b.py", True),
    ("[ab].py", "c.py", False),
    ("[!ab].py", "c.py", True),
    ("[!ab].py", "a.py", False),
    ("[^ab].py", "a.py", False),
    ("[a-c]x", "bx", True),
    ("[[:digit:]].txt", "7.txt", True),
    ("src[/]a.py", "src/a.py", False),
    # Names with characters that mean something elsewhere.
    ("a\\*b", "a*b", True),
    ("a\\*b", "axb", False),
    ("\\[a].py", "[a].py", True),
    ("\\[a].py", "a.py", False),
    ("\\{a,b}.txt", "{a,b}.txt", True),
    ("a{b}", "a{b}", True),
    ("\\!important", "!important", True),
    ("/!important", "!important", True),
    ("#notes", "#notes", True),
    ("a.py", "axpy", False),
    ("a+b", "a+b", True),
    ("a+b", "aab", False),
    ("a b.txt", "a b.txt", True),
    ("a b.txt ", "a b.txt", True),
    ("a\\ ", "a ", True),
    ("a\\ ", "a", False),
    ("(x)", "(x)", True),
    ("a|b", "a", False),
    ("$HOME", "$HOME", True),
    ("~draft", "~draft", True),
    ("\u00fcber/*", "\u00fcber/a", True),
    ("a*b", "a\nb", True),
    ("/a", "a\n", False),
    # Folders that were opened beside the root.
    ("a.py", "/extra/a.py", True),
    ("*.py", "/extra/deep/a.py", True),
    ("src/**", "/extra/src/a.py", False),
    ("**/a.py", "/extra/deep/a.py", True),
    ("**/src/**", "/extra/deep/src/a.py", True),
    ("/**/a.py", "/extra/deep/a.py", False),
    ("/a.py", "/extra/a.py", False),
    ("extra", "/extra/a.py", False),
    ("//extra/src/**", "/extra/src/a.py", True),
    # The name of the root itself is not below it.
    ("ws", "src/a.py", False),
    ("//ws/src/**", "src/a.py", True),
]


@each_row(("pattern", "path", "expected"), INSIDE_PATHS)
def test_a_path_pattern_inside_the_workspace(pattern: str, path: str, expected: bool) -> None:
    assert allows(f"Read({pattern})", read(path)) is expected
    assert allows(f"Edit({pattern})", edit(path)) is expected
    assert denies(f"Read({pattern})", read(path)) is expected
    assert denies(f"Edit({pattern})", edit(path)) is expected
    hidden = RuleBook(ANCHORS, deny=[f"Read({pattern})"]).hidden()
    assert hidden is not None
    assert hidden(place(path).path) is expected


OUTSIDE_PATHS = [
    ("//etc/hosts", "/etc/hosts", True, True),
    ("//etc/hosts", "/etc/hosts.bak", False, False),
    ("//etc", "/etc/ssh/keys", True, True),
    ("//etc/**", "/etc/ssh/keys", True, True),
    ("//**/keys", "/etc/ssh/keys", True, True),
    ("///etc/hosts", "/etc/hosts", True, True),
    ("/etc/hosts", "/etc/hosts", False, False),
    ("etc/hosts", "/etc/hosts", False, False),
    ("~/notes/**", "/home/me/notes/a", True, True),
    ("~/notes/**", "/home/other/notes/a", False, False),
    ("~/**/key", "/home/me/a/b/key", True, True),
    ("~/.ssh", "/home/me/.ssh/id", True, True),
    ("~//.ssh", "/home/me/.ssh/id", True, True),
    ("~/.ssh", "/home/me/x/.ssh/id", False, False),
    # A name at any depth: allowed where folders were opened, denied everywhere.
    (".env", "/other/.env", False, True),
    ("*.pem", "/etc/ssl/a.pem", False, True),
    ("*", "/etc/hosts", False, True),
    ("**/*.pem", "/etc/ssl/a.pem", False, True),
    ("**/ssl/*.pem", "/etc/ssl/a.pem", False, True),
    ("/**/*.pem", "/etc/ssl/a.pem", False, False),
    # Not fooled by a folder whose name only begins alike.
    ("a.py", "/ws2/a.py", False, True),
    ("src/**", "/ws2/src/a.py", False, False),
]


@each_row(("pattern", "path", "allowed", "denied"), OUTSIDE_PATHS)
def test_a_path_pattern_outside_the_workspace(pattern: str, path: str, allowed: bool, denied: bool) -> None:
    assert allows(f"Read({pattern})", read(path)) is allowed
    assert denies(f"Read({pattern})", read(path)) is denied


# The path as it is resolved, the name it was asked for by, whether it is allowed, whether it is denied.
LINKED_PATHS = [
    ("src/**", "src/a", "src/a", True, True),
    ("src/**", "lib/a", "src/link", False, True),
    ("src/**", "src/a", "lib/link", True, True),
    ("src/**", "lib/a", "other/link", False, False),
    (".env", "config/real", ".env", False, True),
    (".env", ".env", "harmless", True, True),
    ("//etc/**", "/etc/hosts", "link", True, True),
    ("//etc/**", "src/a", "/etc/link", False, True),
    ("link", "/etc/hosts", "link", False, True),
]


@each_row(("pattern", "path", "named", "allowed", "denied"), LINKED_PATHS)
def test_safe_p4_allowing_counts_where_a_link_leads_denying_counts_either_name(
    pattern: str, path: str, named: str, allowed: bool, denied: bool
) -> None:
    assert allows(f"Read({pattern})", read(path, named)) is allowed
    assert denies(f"Read({pattern})", read(path, named)) is denied
    assert allows(f"Edit({pattern})", edit(path, named)) is allowed
    assert denies(f"Edit({pattern})", edit(path, named)) is denied


DOMAINS = [
    ("example.org", "example.org", True),
    ("example.org", "www.example.org", False),
    ("example.org", "example.org.evil.com", False),
    ("example.org", "evilexample.org", False),
    ("example.org", "examplexorg", False),
    ("example.org", "example.or", False),
    ("Example.Org", "example.org", True),
    ("example.org.", "example.org", True),
    ("*.example.org", "example.org", False),
    ("*.example.org", "www.example.org", True),
    ("*.example.org", "a.b.example.org", True),
    ("*.example.org", "evilexample.org", False),
    ("*.example.org", "www.example.org.evil.com", False),
    ("*.EXAMPLE.org", "www.example.org", True),
    ("*.org", "example.org", True),
    ("localhost", "localhost", True),
    ("localhost", "x.localhost", False),
    ("127.0.0.1", "127.0.0.1", True),
    ("127.0.0.1", "127.0.0.10", False),
    ("[::1]", "::1", True),
    ("[0:0::1]", "::1", True),
    ("xn--bcher-kva.example", "xn--bcher-kva.example", True),
]


@each_row(("domain", "host", "expected"), DOMAINS)
def test_safe_w4_a_domain_is_matched_whole(domain: str, host: str, expected: bool) -> None:
    rule = f"WebFetch(domain:{domain})"
    assert allows(rule, fetch(host)) is expected
    assert denies(rule, fetch(host)) is expected
    # Whoever has one of many hosts must not be able to lead us into a private network.
    assert RuleBook(ANCHORS, allow=[rule]).names_host(host) is (expected and "*" not in domain)


def test_safe_w2_a_rule_for_the_whole_tool_names_no_host() -> None:
    assert not RuleBook(ANCHORS, allow=["WebFetch", "web_fetch", "WebFetch(*)"]).names_host("localhost")


OTHER_KINDS = [
    ("Bash(ls)", request("execute_command", ReadAccess(place("ls")))),
    ("Read(a)", request("read_files", ToolAccess())),
    ("Read(a)", request("read_files", CommandAccess("a"))),
    ("WebFetch(domain:a)", request("web_fetch", CommandAccess("a"))),
    ("Edit(a)", request("edit", FetchAccess("a"))),
    ("Read(a)", edit("a")),
    ("Edit(a)", read("a")),
    ("Edit(a)", request("edit", EditAccess(()))),
]


@each_row(("rule", "asked"), OTHER_KINDS)
def test_a_rule_about_one_thing_does_not_allow_another(rule: str, asked: PermissionRequest) -> None:
    assert not allows(rule, asked)


def test_all_files_of_a_request_must_be_allowed_and_none_may_be_denied() -> None:
    assert allows("Edit(src/**)", edit_all("src/a", "src/b"))
    assert not allows("Edit(src/**)", edit_all("src/a", "lib/b"))
    assert denies("Edit(src/**)", edit_all("lib/b", "src/a"))
    assert not denies("Edit(src/**)", edit_all("lib/a", "lib/b"))


@pytest.mark.parametrize("tool", ["edit", "write_file", "delete_files"])
def test_safe_p4_what_may_not_be_read_may_not_be_changed(tool: str) -> None:
    for rule in ("Read(src/**)", "Grep(src/**)", "read_files(src/**)", "Read"):
        assert denies(rule, edit("src/a", tool_name=tool))
    for rule in ("Read(lib/**)", "search_files", "list_files(src/**)", "Bash"):
        assert not denies(rule, edit("src/a", tool_name=tool))


def test_safe_p1_a_denied_path_is_denied_whichever_tool_asks_for_it() -> None:
    reading = request("a_tool_of_tomorrow", ReadAccess(place("src/a")))
    editing = request("a_tool_of_tomorrow", EditAccess((place("src/a"),)))
    assert denies("Read(src/**)", reading)
    assert denies("Read(src/**)", editing)
    assert denies("Edit(src/**)", editing)
    assert not denies("Edit(src/**)", reading)
    assert not denies("Read", reading)
    assert not denies("write_file(src/**)", editing)


def test_safe_b6_an_exact_command_is_meant_for_the_folder_one_works_in() -> None:
    elsewhere = request("execute_command", CommandAccess("./run.sh", is_in_root=False))
    assert allows("Bash(./run.sh)", command("./run.sh"))
    assert not allows("Bash(./run.sh)", elsewhere)
    assert denies("Bash(./run.sh)", elsewhere)
    assert proposed_one(RuleBook(ANCHORS), elsewhere) is None


def test_safe_b6_no_always_for_a_command_with_blanks_that_are_none() -> None:
    for blank in "\u00a0\u2003\u3000\u2800\ue000":
        assert proposed_one(RuleBook(ANCHORS), command(f"./run{blank}tests")) is None
