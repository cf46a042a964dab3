"""Rules in files: whose they are, what is said of those that cannot be used, and how the person's own are kept."""

from __future__ import annotations

import json
import os
import stat
import threading
from pathlib import Path

import pytest

from code_assistant.config.kept_rules import KeptRules
from code_assistant.config.load import load_settings
from code_assistant.config.project_files import ProjectFiles
from code_assistant.config.rule_files import LoadedRules, load_own_rules, load_project_rules
from code_assistant.errors import UsageError, WorkspaceError

FOREIGN = ".claude/settings.json"
RULES = {"allow": ["Bash(make)"], "ask": ["Bash(git push:*)"], "deny": ["Read(.env)"]}


def lists(loaded: LoadedRules) -> dict[str, dict[str, tuple[str, ...]]]:
    return {each.source: {name: texts for name, texts in each.lists.items() if texts} for each in loaded.layers}


def own(config: Path, folder: Path) -> LoadedRules:
    return load_own_rules(config, folder, kept_here="here", kept_everywhere="everywhere")


def written(root: Path, name: str, content: object) -> Path:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


def project(root: Path, *, is_trusted: bool = True) -> LoadedRules:
    return load_project_rules(ProjectFiles(root, lambda _: False), is_trusted=is_trusted)


def test_the_persons_settings_have_three_lists(tmp_path: Path) -> None:
    written(tmp_path, "config.toml", '[permissions]\nallow = ["Bash(make)"]\nask = ["Bash"]\ndeny = ["Read(.env)"]\n')
    loaded = own(tmp_path, tmp_path)
    assert loaded.warnings == []
    assert lists(loaded) == {
        "config.toml": {"allow": ("Bash(make)",), "ask": ("Bash",), "deny": ("Read(.env)",)},
    }
    settings = load_settings(
        environ={}, project=ProjectFiles(tmp_path / "project", lambda _: False), config_folder=tmp_path, flags={}
    )
    assert settings.warnings == (), "the lists are no unknown keys"


def test_kept_rules_of_a_folder_count_only_there(tmp_path: Path) -> None:
    kept = KeptRules(tmp_path / "config")
    kept.add("allow", "Bash(make)", tmp_path / "a")
    kept.add("allow", "Bash(make)", tmp_path / "a")
    kept.add("deny", "Read(.env)", None)
    kept.add("ask", "Bash(x)", tmp_path / "b")
    assert lists(own(tmp_path / "config", tmp_path / "a")) == {
        "everywhere": {"deny": ("Read(.env)",)},
        "here": {"allow": ("Bash(make)",)},
    }
    kept.remove("allow", "Bash(make)", tmp_path / "a")
    kept.remove("allow", "Bash(never there)", None)
    assert lists(own(tmp_path / "config", tmp_path / "a")) == {"everywhere": {"deny": ("Read(.env)",)}}
    assert lists(own(tmp_path / "config", tmp_path / "b"))["here"] == {"ask": ("Bash(x)",)}


def test_safe_k2_kept_rules_are_private_whatever_the_umask(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        KeptRules(tmp_path / "config").add("allow", "Bash(make)", None)
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "config").stat().st_mode) == 0o700
    for file in (tmp_path / "config").iterdir():
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert json.loads((tmp_path / "config" / "permissions.json").read_text()) == {
        "permissions": {"allow": ["Bash(make)"]}
    }


def test_two_who_keep_rules_at_once_lose_none(tmp_path: Path) -> None:
    def keep(name: str) -> None:
        for number in range(8):
            KeptRules(tmp_path).add("allow", f"Bash({name}{number})", None)

    threads = [threading.Thread(target=keep, args=(name,)) for name in "ab"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(KeptRules(tmp_path).everywhere()["allow"]) == 16


def test_what_else_stands_in_the_file_stays(tmp_path: Path) -> None:
    written(tmp_path, "permissions.json", {"permissions": {"allow": ["A"]}, "theirs": 1})
    KeptRules(tmp_path).add("deny", "Bash", tmp_path)
    document = json.loads((tmp_path / "permissions.json").read_text())
    assert document["theirs"] == 1
    assert document["permissions"] == {"allow": ["A"]}


DAMAGED = [
    "",
    "{",
    "[]",
    "3",
    '{"permissions": []}',
    '{"folders": 3}',
    '{"permissions": {"allow": "x"}}',
    "[" * 100_000,
]


@pytest.mark.parametrize("content", DAMAGED)
def test_a_damaged_file_of_kept_rules_is_told_and_not_written_over(tmp_path: Path, content: str) -> None:
    file = written(tmp_path, "permissions.json", content)
    loaded = own(tmp_path, tmp_path)
    assert loaded.layers == []
    assert "is damaged" in loaded.warnings[0]
    assert "NONE OF ITS PERMISSION RULES COUNT" in loaded.warnings[0]
    with pytest.raises(UsageError, match="is damaged"):
        KeptRules(tmp_path).add("allow", "Bash", None)
    assert file.read_text() == content


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "config").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(WorkspaceError, match="symlink"):
        KeptRules(tmp_path / "config").add("allow", "Bash", None)


def test_safe_t3_rules_of_a_project_that_allow_count_only_where_it_is_trusted(tmp_path: Path) -> None:
    written(tmp_path, FOREIGN, {"permissions": RULES, "env": {"A": "b"}, "hooks": {}})
    written(tmp_path, ".claude/settings.local.json", {"permissions": {"allow": ["Bash"], "defaultMode": "yolo"}})
    written(tmp_path, ".code-assistant/config.toml", '[permissions]\nallow = ["Edit"]\ndeny = ["WebFetch"]\n')
    everything = {name: tuple(texts) for name, texts in RULES.items()}
    trusted = project(tmp_path)
    assert trusted.warnings == []
    assert lists(trusted) == {
        ".code-assistant/config.toml": {"deny": ("WebFetch",), "allow": ("Edit",)},
        FOREIGN: everything,
        ".claude/settings.local.json": {"allow": ("Bash",)},
    }
    untrusted = project(tmp_path, is_trusted=False)
    assert lists(untrusted) == {
        ".code-assistant/config.toml": {"deny": ("WebFetch",)},
        FOREIGN: {"ask": everything["ask"], "deny": everything["deny"]},
        ".claude/settings.local.json": {},
    }
    assert len(untrusted.warnings) == 3
    assert all("not trusted" in each for each in untrusted.warnings)


ODD = [
    ("{", "not valid JSON"),
    ("[" * 100_000, "not valid JSON"),
    ("[]", "not an object"),
    ('{"permissions": 3}', "not a table"),
    ('{"permissions": []}', "not a table"),
    ('{"permissions": {"deny": "Bash"}}', "deny is not a list of rules. NOTHING OF IT COUNTS"),
    ('{"permissions": {"deny": [1, null, {}]}}', "3 entries that are no text. THEY DO NOT COUNT"),
    ('{"permissions": {"deny": [' + '"Bash(x)",' * 1_500 + '"y"]}}', "ONLY THE FIRST 1,000 COUNT"),
    ('{"a": "' + "x" * 10_000_000 + '"}', "larger than"),
]


@pytest.mark.parametrize(("content", "words"), ODD, ids=[words for _, words in ODD])
def test_what_is_odd_in_a_project_is_told_and_costs_nothing_else(tmp_path: Path, content: str, words: str) -> None:
    written(tmp_path, FOREIGN, content)
    written(tmp_path, ".claude/settings.local.json", {"permissions": {"deny": ["Bash(rm:*)"]}})
    loaded = project(tmp_path)
    assert any(words in warning for warning in loaded.warnings)
    assert lists(loaded)[".claude/settings.local.json"] == {"deny": ("Bash(rm:*)",)}


def test_what_leads_out_of_the_project_or_is_no_file_is_told(tmp_path: Path) -> None:
    outside = written(tmp_path, "outside.json", {"permissions": {"allow": ["Bash"]}})
    root = tmp_path / "project"
    (root / ".claude").mkdir(parents=True)
    (root / FOREIGN).symlink_to(outside)
    os.mkfifo(root / ".claude/settings.local.json")
    loaded = project(root)
    assert loaded.layers == []
    assert "leads out of the project" in loaded.warnings[0]
    assert "not a regular file" in loaded.warnings[1]


def test_a_list_that_our_own_files_do_not_have_is_told_and_in_others_ignored(tmp_path: Path) -> None:
    written(tmp_path, ".code-assistant/config.toml", '[permissions]\nalow = ["Edit"]\n')
    written(tmp_path, FOREIGN, {"permissions": {"additionalDirectories": ["/"], "alow": []}})
    loaded = project(tmp_path)
    assert loaded.warnings == [
        ".code-assistant/config.toml: permissions has no 'alow'; its lists are deny, ask, allow."
    ]
