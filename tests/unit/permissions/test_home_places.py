"""In a home folder much is read or started by itself: what could be such is asked about where edits are accepted."""

from __future__ import annotations

from pathlib import Path

from code_assistant.permissions.access import EditAccess, Place
from code_assistant.permissions.gate import Gate
from code_assistant.permissions.path_patterns import Anchors
from code_assistant.permissions.person import NobodyThere
from code_assistant.permissions.rule_book import RuleBook
from code_assistant.protected_names import HOME_PLACES, SECRET_PLACES
from tests.rows import each_row
from tests.unit.permissions.support import request

HOME = Path("/home/ada")
START_BY_THEMSELVES = (
    *(".config/autostart/x.desktop", ".config/fish/config.fish", ".config/systemd/user/x.service", ".local/bin/git"),
    *(".xsession", ".aws/config", ".config/git/config", ".config/nvim/init.lua", ".inputrc", ".tmux.conf", ".exrc"),
    *(".config/environment.d/x.conf", ".docker/config.json", ".pam_environment", ".config/direnv/direnvrc"),
    *(".gnupg/gpg.conf", ".cargo/config.toml", ".pip/pip.conf", ".emacs", ".zshrc.local", ".whatever/is/to/come"),
    *("bin/git", "go/bin/tool", ".Config/Fish/x"),
)


def is_unasked(path: str, folder: Path | None, *, allow: tuple[str, ...] = (), named: str | None = None) -> bool:
    folders = (folder or Path("/ws"),)
    gate = Gate(NobodyThere(), RuleBook(Anchors(folders[0], folders, HOME), allow), "accept-edits")
    place = Place(HOME / path, HOME / (named or path), folder)
    decision = gate.settled(request("write_file", EditAccess((place,))))
    return decision is not None and decision.allowed


@each_row("path", (*START_BY_THEMSELVES, *HOME_PLACES, *SECRET_PLACES))
@each_row("folder", (HOME, HOME.parent))
def test_safe_s3_in_an_opened_home_what_could_start_by_itself_is_asked_about(folder: Path, path: str) -> None:
    assert not is_unasked(path, folder)
    assert not is_unasked("src/a", folder, named=path)


@each_row("path", HOME_PLACES)
def test_safe_s3_also_where_only_a_part_of_home_is_opened(path: str) -> None:
    opened = HOME / Path(path).parts[0]
    assert not is_unasked(f"{path}/x", opened)
    assert not is_unasked(f"{path}/x".upper(), opened)


@each_row(
    ("path", "folder"),
    [
        *(("src/a", HOME), ("project/bin/tool", HOME), ("project/.config/fish/x", HOME), ("binary", HOME)),
        *((".config/ours/x", HOME / ".config"), (".config/fishing/x", HOME / ".config"), (".local/x", HOME / ".local")),
        *((".worktrees/shop/.eslintrc", HOME / ".worktrees/shop"), (".worktrees/shop/bin/x", HOME / ".worktrees")),
    ],
)
def test_what_only_looks_like_it_is_ordinary(path: str, folder: Path) -> None:
    assert is_unasked(path, folder)


@each_row(
    ("rule", "path", "expected"),
    [
        *(("Edit", ".inputrc", False), ("Edit(**)", ".inputrc", False), ("Edit(.inputrc)", ".inputrc", True)),
        *(("Edit(.config/**)", ".config/fish/x", False), ("Edit(.config/fish/**)", ".config/fish/x", True)),
        *(("Edit(~/.config/**)", ".config/ours/x", True), ("Edit(~/**)", ".config/ours/x", False)),
    ],
)
def test_safe_s3_a_rule_for_home_must_say_the_name(rule: str, path: str, expected: bool) -> None:
    assert is_unasked(path, HOME, allow=(rule,)) == expected
