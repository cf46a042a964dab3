"""What is settled without asking: every mode, every kind of access, with rules and without."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Literal, TypeAlias

from code_assistant.events import MAIN
from code_assistant.permissions.access import EditAccess, ToolAccess
from code_assistant.permissions.approver import Decision, PermissionRequest
from code_assistant.permissions.gate import BY_PLAN, PLAN_REASON, Gate
from code_assistant.permissions.modes import PERMISSION_MODES, PermissionMode
from code_assistant.permissions.person import NOBODY, NobodyThere
from code_assistant.permissions.rule_book import RuleBook
from tests.rows import each_row
from tests.unit.permissions.support import (
    ANCHORS,
    HOME,
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

CONFIG = HOME / ".config/code-assistant"
SPILL = HOME / ".local/state/code-assistant/spill/run"
Expected: TypeAlias = Literal["yes", "no", "ask"]

REQUESTS: dict[str, PermissionRequest] = {
    "read inside": read("src/a"),
    "read in an added folder": read("/extra/a"),
    "read outside": read("/etc/hosts"),
    "read through a link to the outside": read("/etc/hosts", "link"),
    "read our own spilled output": read(str(SPILL / "1.txt")),
    "read our own settings": read(str(CONFIG / "config.toml")),
    "edit inside": edit("src/a"),
    "write inside": edit("src/a", tool_name="write_file"),
    "edit in an added folder": edit("/extra/a"),
    "edit outside": edit("/etc/hosts"),
    "edit through a link to the outside": edit("/etc/hosts", "src/link"),
    "edit inside and outside": edit_all("src/a", "/etc/hosts"),
    "edit a hook": edit(".git/hooks/x"),
    "edit ordinary files and a hook": edit_all("src/a", ".git/hooks/x"),
    "edit our own settings": edit(str(CONFIG / "config.toml")),
    "delete inside": delete("src/a"),
    "delete outside": delete("/etc/hosts"),
    "run a command": command("make test"),
    "fetch": fetch("example.org"),
    "search the web": request("web_search", ToolAccess()),
}
READS = {"read inside", "read in an added folder", "read our own spilled output"}
EDITS = {"edit inside", "write inside", "edit in an added folder"}
CHANGES = {name for name in REQUESTS if name.startswith(("edit", "write", "delete", "run"))}


def expected_without_rules(mode: PermissionMode, name: str) -> Expected:
    if mode == "yolo" or name in READS:
        return "yes"
    if mode == "plan" and name in CHANGES:
        return "no"
    return "yes" if mode == "accept-edits" and name in EDITS else "ask"


def gate(mode: PermissionMode, allow: tuple[str, ...] = (), deny: tuple[str, ...] = ()) -> Gate:
    book = RuleBook(ANCHORS, allow, deny)
    return Gate(NobodyThere(), book, mode, readable=(SPILL,), own_folders=(CONFIG,))


def outcome(decision: Decision | None) -> Expected:
    if decision is None:
        return "ask"
    return "yes" if decision.allowed else "no"


EVERYTHING = ("Read", "Edit", "Bash", "WebFetch", "WebSearch")
PROTECTED = {"edit a hook", "edit ordinary files and a hook", "edit our own settings"}


@each_row(("mode", "name"), product(PERMISSION_MODES, REQUESTS))
def test_without_rules(mode: PermissionMode, name: str) -> None:
    assert outcome(gate(mode).settled(REQUESTS[name])) == expected_without_rules(mode, name)


@each_row(("mode", "name"), product(PERMISSION_MODES, REQUESTS))
def test_safe_s3_with_everything_allowed_only_plan_mode_and_protected_places_are_left(
    mode: PermissionMode, name: str
) -> None:
    expected = "no" if mode == "plan" and name in CHANGES else "yes"
    if (name in PROTECTED and mode in ("ask", "accept-edits")) or (name == "read our own settings" and mode != "yolo"):
        expected = "ask"
    assert outcome(gate(mode, allow=EVERYTHING).settled(REQUESTS[name])) == expected


@each_row(("mode", "name"), product(PERMISSION_MODES, REQUESTS))
def test_safe_b8_with_everything_denied_nothing_is_left_even_where_everything_is_allowed(
    mode: PermissionMode, name: str
) -> None:
    decision = gate(mode, allow=EVERYTHING, deny=EVERYTHING).settled(REQUESTS[name])
    assert decision is not None
    assert not decision.allowed
    assert decision.by_rule in EVERYTHING
    assert decision.reason == f"the rule {decision.by_rule} denies it"


NARROW = [
    ("Read(//etc/**)", {"read outside", "read through a link to the outside"}),
    ("Edit(//etc/**)", {"edit outside", "edit through a link to the outside", "delete outside"}),
    ("Edit(src/**)", {"edit inside", "write inside", "delete inside"}),
    ("write_file(src/**)", {"write inside"}),
    ("Edit(.git/hooks/**)", {"edit a hook"}),
    ("Edit(~/.config/code-assistant/**)", {"edit our own settings"}),
    ("Bash(make test)", {"run a command"}),
    ("Bash(make)", set[str]()),
    ("WebFetch(domain:example.org)", {"fetch"}),
    ("WebFetch(domain:*.example.org)", set[str]()),
    ("WebSearch", {"search the web"}),
    ("Read(src/link)", set[str]()),
]


@each_row(("rule", "covered"), NARROW)
@each_row("mode", PERMISSION_MODES)
def test_a_narrow_rule_allows_just_what_it_covers_and_nothing_that_plan_mode_refuses(
    mode: PermissionMode, rule: str, covered: set[str]
) -> None:
    found = {name: outcome(gate(mode, allow=(rule,)).settled(asked)) for name, asked in REQUESTS.items()}
    expected = {name: expected_without_rules(mode, name) for name in REQUESTS}
    expected |= {name: "yes" for name in covered if expected[name] == "ask"}
    assert found == expected


IN_SRC = {"edit inside", "write inside", "delete inside", "edit inside and outside", "edit ordinary files and a hook"}
NARROW_DENIALS = [
    ("Read(src/**)", {"read inside", "edit through a link to the outside"} | IN_SRC),
    ("Edit(src/**)", {"edit through a link to the outside"} | IN_SRC),
    ("Edit(src/link)", {"edit through a link to the outside"}),
    ("Read(link)", {"read through a link to the outside", "edit through a link to the outside"}),
    ("Edit(.git)", {"edit a hook", "edit ordinary files and a hook"}),
    ("Bash(make test)", {"run a command"}),
    ("Bash(make)", set[str]()),
    ("WebFetch(domain:example.org)", {"fetch"}),
    ("delete_files", {"delete inside", "delete outside"}),
]


@each_row(("rule", "covered"), NARROW_DENIALS)
@each_row("mode", PERMISSION_MODES)
def test_safe_b8_a_narrow_denial_holds_in_every_mode(mode: PermissionMode, rule: str, covered: set[str]) -> None:
    the_gate = gate(mode, EVERYTHING, (rule,))
    assert {name for name, asked in REQUESTS.items() if _by_rule(the_gate, asked) == rule} == covered


def _by_rule(the_gate: Gate, asked: PermissionRequest) -> str | None:
    decision = the_gate.settled(asked)
    return decision.by_rule if decision is not None and not decision.allowed else None


def test_one_denied_file_among_several_denies_the_whole_edit() -> None:
    for rule in ("Edit(src/a)", "Edit(//etc/**)", "Read(src/**)"):
        assert _by_rule(gate("yolo", deny=(rule,)), REQUESTS["edit inside and outside"]) == rule


# Where a changed file makes programs run or rules change: by its path, or by the name it was asked for.
PROTECTED_PLACES = [
    (".git/hooks/x", None),
    (".git/config", None),
    (".git", None),
    (".GIT/hooks/x", None),
    (".Git/config", None),
    ("deep/er/.git/config", None),
    ("vendor/.gitmodules", None),
    (".husky/pre-commit", None),
    (".code-assistant/agents/a.md", None),
    (".claude/settings.json", None),
    (".mcp.json", None),
    ("sub/.mcp.json", None),
    (".vscode/tasks.json", None),
    (".envrc", None),
    (".bashrc", None),
    (".ssh/authorized_keys", None),
    ("/extra/.git/hooks/x", None),
    (".git/hooks/x", "harmless/link"),
    (".git/hooks/x", "link.txt"),
    ("harmless/hooks/x", ".git/hooks/x"),
    (str(CONFIG / "config.toml"), None),
    (str(CONFIG / "config.toml"), "link.toml"),
]
ORDINARY_PLACES = [".gitignore", "github/workflows/x.yml", "git/hooks/x", "src/.gitkeep", "a.git/config", "bashrc"]


@each_row(("path", "named"), PROTECTED_PLACES)
@each_row("allow", [(), ("Edit",), ("Edit(**)", "Edit(*)", "Edit(//**)", "Write", "edit")], ids=str)
def test_safe_s3_protected_places_ask_where_edits_are_accepted_and_under_general_rules(
    path: str, named: str | None, allow: tuple[str, ...]
) -> None:
    for mode in ("ask", "accept-edits"):
        assert outcome(gate(mode, allow).settled(edit(path, named))) == "ask"
    assert outcome(gate("plan", allow).settled(edit(path, named))) == "no"


@each_row("path", ORDINARY_PLACES)
def test_names_that_only_look_protected_are_ordinary(path: str) -> None:
    assert outcome(gate("accept-edits").settled(edit(path))) == "yes"
    assert outcome(gate("ask", ("Edit",)).settled(edit(path))) == "yes"


def test_our_own_settings_are_protected_also_where_the_home_folder_was_opened() -> None:
    inside = EditAccess((place(str(CONFIG / "config.toml")),))
    opened = EditAccess(tuple(type(each)(each.path, each.named, HOME) for each in inside.places))
    assert outcome(gate("accept-edits").settled(request("edit", opened))) == "ask"


SAYING_SO = [
    ("Edit(.git/hooks/**)", ".git/hooks/x", "yes"),
    ("Edit(.git)", "sub/.git/config", "yes"),
    ("Edit(**/.git/**)", "sub/.git/config", "yes"),
    ("Edit(/.mcp.json)", ".mcp.json", "yes"),
    ("Edit(.GIT/**)", ".GIT/config", "yes"),
    ("Edit(.git/**)", ".GIT/config", "ask"),
    ("Edit(.git*)", ".git/config", "ask"),
    ("Edit(.*)", ".git/config", "ask"),
    ("Edit(?git/**)", ".git/config", "ask"),
    # The name of a folder that only ends alike says nothing about the real one inside.
    ("Edit(site.git/**)", "site.git/.git/hooks/x", "ask"),
    ("Edit(my.profile/**)", "my.profile/.profile", "ask"),
    # One protected name said is not all of them said.
    ("Edit(.vscode/**)", ".vscode/tasks.json", "yes"),
    ("Edit(.vscode/**)", ".vscode/.git/hooks/x", "ask"),
    ("Edit(.vscode/.git/**)", ".vscode/.git/hooks/x", "yes"),
]


@each_row(("rule", "path", "expected"), SAYING_SO)
def test_safe_s3_a_rule_must_say_the_protected_name(rule: str, path: str, expected: Expected) -> None:
    assert outcome(gate("ask", (rule,)).settled(edit(path))) == expected


@each_row(("path", "named"), PROTECTED_PLACES)
def test_always_for_a_protected_place_is_kept(path: str, named: str | None) -> None:
    book = RuleBook(ANCHORS)
    rule = proposed_one(book, edit(path, named))
    assert rule is not None
    book.grant(rule)
    kept = Gate(NobodyThere(), book, own_folders=(CONFIG,))
    assert outcome(kept.settled(edit(path, named))) == "yes"
    assert outcome(kept.settled(edit(f"{path}x", named))) == "ask"


@each_row("asked", [edit("src/a"), delete("src/a"), command("make test"), edit("/etc/hosts")])
def test_plan_mode_refuses_changes_in_words_whatever_is_allowed_and_granted(asked: PermissionRequest) -> None:
    book = RuleBook(ANCHORS, (*EVERYTHING, "Edit(src/**)", "Edit(//etc/**)", "Bash(make test)"))
    rule = proposed_one(book, asked)
    if rule is not None:
        book.grant(rule, MAIN)
        book.grant(rule)
    assert Gate(NobodyThere(), book, "plan").settled(asked) == Decision(False, PLAN_REASON, denied_by=BY_PLAN)


def test_a_mode_counts_from_the_next_request_on() -> None:
    the_gate = gate("ask")
    steps: tuple[tuple[PermissionMode, str], ...] = (
        ("accept-edits", "yes"),
        ("plan", "no"),
        ("yolo", "yes"),
        ("ask", "ask"),
    )
    for mode, expected in steps:
        the_gate.mode = mode
        assert outcome(the_gate.settled(edit("src/a"))) == expected


def test_the_rule_behind_a_yes_is_named() -> None:
    decision = gate("ask", ("Bash(make)", "Bash")).settled(command("make"))
    assert decision == Decision(True, by_rule="Bash(make)")


async def test_what_is_not_settled_is_asked_and_what_is_settled_is_not() -> None:
    class Counting(NobodyThere):
        asked = 0

        async def decide(self, request: PermissionRequest) -> Decision:
            self.asked += 1
            return await super().decide(request)

    person = Counting()
    the_gate = Gate(person, RuleBook(ANCHORS, ("Bash(make)",), ("Bash(rm)",)))
    assert (await the_gate.decide(command("make"))).allowed
    assert not (await the_gate.decide(command("rm"))).allowed
    assert person.asked == 0
    assert await the_gate.decide(command("ls")) == Decision(False, NOBODY)
    assert person.asked == 1


def test_a_tool_that_is_denied_as_a_whole_is_known_before_it_is_called() -> None:
    the_gate = gate("yolo", deny=("Bash", "Read(secret)", "WebFetch(domain:example.org)"))
    assert the_gate.tool_denial("execute_command") == "the rule Bash denies it"
    for name in ("read_files", "web_fetch", "edit", "no_such_tool"):
        assert the_gate.tool_denial(name) is None


def test_what_is_hidden_is_told_by_the_gate() -> None:
    assert gate("ask").hidden() is None
    hidden = gate("yolo", deny=("Read(secret)",)).hidden()
    assert hidden is not None
    assert hidden(Path("/ws/a/secret"))
