"""Where keys are kept, and what this program keeps of its own: asked about, also where the home folder is opened."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from code_assistant.permissions.access import Place, ReadAccess
from code_assistant.permissions.approver import PermissionRequest
from code_assistant.permissions.gate import MAY_BE_SECRET, Gate
from code_assistant.permissions.modes import PERMISSION_MODES, PermissionMode
from code_assistant.permissions.path_patterns import Anchors
from code_assistant.permissions.person import NobodyThere
from code_assistant.permissions.rule_book import RuleBook
from code_assistant.protected_names import SECRET_PLACES
from tests.rows import each_row
from tests.unit.permissions.support import request

HOME = Path("/home/Ada")
STATE = HOME / ".local/state/code-assistant"
SPILL = STATE / "spill" / "1-ab"
SECRET = (
    *SECRET_PLACES,
    ".ssh/id_rsa",
    ".SSH/id_rsa",
    ".config/gh/hosts.yml",
    ".local/state/code-assistant/sessions/x",
)
ORDINARY = (
    "src/a",
    ".sshd/a",
    ".config/ghost",
    "project/.ssh/id_rsa",
    ".bashrc",
    ".local/state/code-assistant/spill/1-ab/x",
)


def gate(mode: PermissionMode = "ask", *, folders: tuple[Path, ...] = (HOME,), allow: tuple[str, ...] = ()) -> Gate:
    book = RuleBook(Anchors(folders[0], folders, HOME), allow)
    return Gate(NobodyThere(), book, mode, readable=(SPILL,), own_folders=(STATE,))


def reading(path: str, folder: Path | None = HOME, *, named: str | None = None) -> PermissionRequest:
    return request("read_files", ReadAccess(Place(HOME / path, HOME / (named or path), folder)))


def is_allowed(asked: Gate, wanted: PermissionRequest) -> bool:
    decision = asked.settled(wanted)
    return decision is not None and decision.allowed


@each_row("path", SECRET)
@each_row("mode", PERMISSION_MODES)
def test_safe_p1_what_is_secret_is_asked_about_in_an_opened_home(mode: PermissionMode, path: str) -> None:
    asked = gate(mode)
    assert is_allowed(asked, reading(path)) == (mode == "yolo")
    assert mode == "yolo" or asked.why_asked(reading(path)) == MAY_BE_SECRET
    assert not asked.may_read(reading(path), Place(HOME / path, HOME / path, HOME))


@each_row("path", ORDINARY)
def test_what_is_beside_it_is_like_everything_else(path: str) -> None:
    assert is_allowed(gate(), reading(path))


def test_safe_p4_a_link_from_or_to_a_secret_place_is_asked_about() -> None:
    assert not is_allowed(gate(), reading("src/a", named=".ssh/config"))
    assert not is_allowed(gate(), reading(".ssh/config", named="src/a"))


@each_row(
    ("rule", "is_enough"),
    [
        *(("Read", False), ("Read(**)", False), ("Read(~/**)", False), ("Read(~/.ss*/**)", False)),
        *(("Read(~/.ssh/**)", True), ("Read(.ssh/id_rsa)", True), ("Read(.ssh)", True)),
    ],
)
def test_safe_p1_only_a_rule_that_names_it_allows_it(rule: str, is_enough: bool) -> None:
    assert is_allowed(gate(allow=(rule,)), reading(".ssh/id_rsa")) == is_enough


def test_what_is_answered_with_always_is_enough_the_next_time() -> None:
    book = RuleBook(Anchors(HOME, (HOME,), HOME))
    (rule,) = book.proposed(reading(".ssh/id_rsa"))
    assert is_allowed(gate(allow=(rule.text,)), reading(".ssh/id_rsa"))
    assert not is_allowed(gate(allow=(rule.text,)), reading(".ssh/other"))


@each_row("folders", [(HOME / ".config/gh",), (HOME, HOME / ".config/gh"), (HOME / ".config/gh/inner",)])
def test_where_the_person_works_nothing_is_secret(folders: tuple[Path, ...]) -> None:
    assert is_allowed(gate(folders=folders), reading(".config/gh/inner/x", folders[0]))
    assert not is_allowed(gate(folders=folders), reading(".ssh/x", folders[0] if folders[0] == HOME else None))


def test_safe_p1_looking_through_folders_leaves_it_out_but_for_the_one_that_was_named() -> None:
    unseen = gate().unseen(HOME)
    assert unseen is not None
    # A search takes it along into its own process.
    unseen = pickle.loads(pickle.dumps(unseen))
    assert [path for path in (*SECRET, *ORDINARY) if not unseen(HOME / path)] == list(ORDINARY)
    assert gate().unseen(HOME / ".ssh") is None


def test_safe_p1_where_a_secret_place_really_is_is_secret(tmp_path: Path) -> None:
    home, vault = tmp_path / "home", tmp_path / "home" / "vault"
    vault.mkdir(parents=True)
    (home / ".ssh").symlink_to("vault")
    book = RuleBook(Anchors(home, (home,), home))
    unseen = Gate(NobodyThere(), book).unseen(home)
    assert unseen is not None
    assert unseen(vault / "id_rsa")


@pytest.mark.parametrize("is_there", [True, False])
def test_who_looks_through_a_folder_comes_upon_what_is_there(tmp_path: Path, is_there: bool) -> None:
    book = RuleBook(Anchors(tmp_path, (tmp_path,), tmp_path))
    if is_there:
        (tmp_path / ".aws").mkdir()
    asked = Gate(NobodyThere(), book)
    assert asked.has_secrets_in(tmp_path) == is_there
    assert not asked.has_secrets_in(tmp_path / "src")
