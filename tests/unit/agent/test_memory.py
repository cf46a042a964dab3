from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from code_assistant.agent.memory import Memory, load_memory
from code_assistant.config.project_files import ProjectFiles, find_project_root, trusted
from code_assistant.permissions.modes import PermissionMode
from tests.repositories import make_repository_mark
from tests.unit.agent.memory_guards import memory_guard


class Place:
    """A person's settings folder and a repository, made of the files a test names."""

    def __init__(self, folder: Path) -> None:
        self.config = folder / "home" / ".config" / "code-assistant"
        self.root = folder / "repository"
        self.config.mkdir(parents=True)
        make_repository_mark(self.root)

    def write(self, name: str, text: str) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def own(self, text: str, name: str = "AGENTS.md") -> Path:
        path = self.config / name
        path.write_text(text, encoding="utf-8")
        return path

    def load(
        self,
        working_folder: str = ".",
        max_bytes: int = 64_000,
        *,
        opened: tuple[str, ...] = (),
        deny: tuple[str, ...] = (),
        ask: tuple[str, ...] = (),
        allow: tuple[str, ...] = (),
        mode: PermissionMode = "ask",
        secrets: tuple[str, ...] = (),
    ) -> Memory:
        folder = self.root / working_folder
        folder.mkdir(parents=True, exist_ok=True)
        guard = memory_guard(
            folder,
            self.config,
            home=self.root.parent / "home",
            extra=tuple(self.root / each for each in opened),
            deny=deny,
            ask=ask,
            allow=allow,
            mode=mode,
            secrets=secrets,
        )
        memory = load_memory(guard, ProjectFiles(find_project_root(folder), trusted), max_bytes)
        assert len(memory.text.encode()) <= max_bytes
        return memory

    def files(self, memory: Memory) -> list[str]:
        base = self.root.parent
        return [str(path.relative_to(base)).removeprefix("repository/") for path in memory.files]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    return Place(tmp_path)


def test_nothing_there_is_nothing_said(place: Place) -> None:
    assert place.load() == Memory("", (), ())


def test_order_is_own_file_root_then_down_to_the_working_folder(place: Place) -> None:
    place.own("own words")
    place.write("AGENTS.md", "root words\n")
    place.write("a/b/AGENTS.md", "deep words")
    place.write("a/b/c/AGENTS.md", "below the working folder")
    place.write("other/AGENTS.md", "beside the way")
    memory = place.load("a/b")
    assert memory.text == (
        "# From the user's own AGENTS.md\n\nown words\n\n"
        "# From AGENTS.md\n\nroot words\n\n"
        "# From a/b/AGENTS.md\n\ndeep words"
    )
    assert place.files(memory) == ["home/.config/code-assistant/AGENTS.md", "AGENTS.md", "a/b/AGENTS.md"]
    assert memory.notices == ()


def test_claude_md_is_read_where_there_is_no_agents_md(place: Place) -> None:
    place.write("AGENTS.md", "agents")
    place.write("CLAUDE.md", "claude")
    place.write("a/CLAUDE.md", "claude below")
    assert place.files(place.load("a")) == ["AGENTS.md", "a/CLAUDE.md"]


def test_blank_files_are_skipped(place: Place) -> None:
    place.own(" \n")
    place.write("AGENTS.md", "\n\n")
    place.write("CLAUDE.md", "claude")
    assert place.files(place.load()) == ["CLAUDE.md"]


def test_without_a_repository_only_the_working_folder_counts(place: Place) -> None:
    shutil.rmtree(place.root / ".git")
    place.write("AGENTS.md", "above")
    place.write("a/AGENTS.md", "here")
    assert place.load("a").text == "# From AGENTS.md\n\nhere"


def test_a_work_tree_or_nested_repository_stands_alone(place: Place) -> None:
    place.write("AGENTS.md", "outer")
    place.write("inner/.git", "gitdir: ../elsewhere")
    place.write("inner/a/AGENTS.md", "inner")
    assert place.load("inner/a").text == "# From a/AGENTS.md\n\ninner"


def test_no_program_is_started(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("fork", "posix_spawn", "execve"):
        monkeypatch.setattr(os, name, None)
    place.write("AGENTS.md", "x")
    assert place.load().files


def test_imports_follow_the_file_that_names_them(place: Place) -> None:
    place.write("AGENTS.md", "Read @docs/style.md, and (@docs/test.md).\n@docs/style.md again")
    place.write("docs/style.md", "style, see @more.md")
    place.write("docs/more.md", "more")
    place.write("docs/test.md", "tests")
    place.write("a/AGENTS.md", "below @../docs/style.md")
    memory = place.load("a")
    assert place.files(memory) == ["AGENTS.md", "docs/style.md", "docs/more.md", "docs/test.md", "a/AGENTS.md"]
    assert "# From docs/more.md\n\nmore\n\n# From docs/test.md" in memory.text
    assert memory.notices == ()


def test_words_that_name_no_file_stay_silently(place: Place) -> None:
    (place.root / "folder").mkdir()
    text = f"@user @folder @pkg/name @missing.md me@example.org @~/none @/none @{'x' * 5000} @../none `@x`"
    place.write("AGENTS.md", text)
    place.write("x", "in code")
    memory = place.load()
    assert (place.files(memory), memory.notices) == (["AGENTS.md"], ())
    assert "@user @folder @pkg/name" in memory.text


def test_claude_md_that_imports_agents_md_of_another_folder_adds_it_once(place: Place) -> None:
    place.write("AGENTS.md", "root @a/AGENTS.md")
    place.write("a/AGENTS.md", "below")
    place.write("a/CLAUDE.md", "not read, there is an AGENTS.md")
    memory = place.load("a")
    assert (place.files(memory), memory.notices) == (["AGENTS.md", "a/AGENTS.md"], ())


def test_cycles_stop_with_a_notice(place: Place) -> None:
    place.write("AGENTS.md", "@one.md")
    place.write("one.md", "@two.md")
    place.write("two.md", "@one.md @AGENTS.md @two.md")
    memory = place.load()
    assert place.files(memory) == ["AGENTS.md", "one.md", "two.md"]
    assert [notice.split(" is not")[0] for notice in memory.notices] == [
        "two.md: @one.md",
        "two.md: @AGENTS.md",
        "two.md: @two.md",
    ]
    assert all("imports itself" in notice for notice in memory.notices)


def test_imports_deeper_than_five_stop_with_a_notice(place: Place) -> None:
    place.write("AGENTS.md", "@1.md")
    for depth in range(1, 8):
        place.write(f"{depth}.md", f"@{depth + 1}.md")
    memory = place.load()
    assert place.files(memory) == ["AGENTS.md", "1.md", "2.md", "3.md", "4.md", "5.md"]
    assert memory.notices == ("5.md: @6.md is not imported: imports may be nested 5 deep.",)


def test_a_flood_of_imports_and_words_is_bounded(place: Place) -> None:
    for number in range(80):
        place.write(f"{number}.md", "x")
    place.write("AGENTS.md", " ".join(f"@{number}.md" for number in range(2000)))
    memory = place.load()
    assert len(memory.files) == 51
    assert memory.notices[0] == "AGENTS.md: only its first 1000 @ words are tried as imports."
    assert memory.notices[1] == "AGENTS.md: @50.md is not imported: there are more than 50 imports."
    assert memory.notices[-1] == "11 more problems with memory files are not shown."
    assert len(memory.notices) == 21


def test_safe_p1_project_files_import_from_the_project_only(place: Place) -> None:
    outside = place.root.parent / "outside.md"
    outside.write_text("secret words")
    (place.root.parent / "home" / "h.md").write_text("secret words")
    (place.root / "link.md").symlink_to(outside)
    place.write("AGENTS.md", f"@../outside.md @{outside} @link.md @~/h.md @{place.root}/fine.md")
    place.write("fine.md", "fine words")
    memory = place.load()
    assert place.files(memory) == ["AGENTS.md", "fine.md"]
    assert "secret" not in memory.text
    assert memory.text.count("@../outside.md") == 1
    assert len(memory.notices) == 4
    assert sum("it lies outside the project" in notice for notice in memory.notices) == 3
    assert sum("only your own AGENTS.md may import" in notice for notice in memory.notices) == 1


def test_the_own_file_may_import_from_anywhere(place: Place) -> None:
    home = place.root.parent / "home"
    (home / "notes.md").write_text("home words @deeper.md")
    (home / "deeper.md").write_text("deeper words")
    place.own("@~/notes.md @beside.md")
    place.own("beside words", "beside.md")
    memory = place.load()
    assert [path.name for path in memory.files] == ["AGENTS.md", "notes.md", "deeper.md", "beside.md"]
    assert "# From the user's own beside.md\n\nbeside words" in memory.text
    assert f"# From the user's own {home}/notes.md" in memory.text
    assert memory.notices == ()


def test_safe_p1_a_project_file_that_the_own_file_imports_gains_no_rights(place: Place) -> None:
    (place.root.parent / "home" / "h.md").write_text("secret words")
    place.own(f"@{place.root}/notes.md")
    place.write("notes.md", "note words @~/h.md")
    memory = place.load()
    assert "note words" in memory.text
    assert "secret words" not in memory.text
    assert len(memory.notices) == 1


def test_files_that_cannot_be_used_are_notices(place: Place, tmp_path: Path) -> None:
    (tmp_path / "outside.md").write_text("secret")
    (place.root / "AGENTS.md").symlink_to(tmp_path / "outside.md")
    os.mkfifo(place.config / "AGENTS.md")
    place.write("a/AGENTS.md", "x" * 1_000_001)
    place.write("a/b/AGENTS.md", "@logo.png")
    (place.root / "a" / "b" / "logo.png").write_bytes(b"\x89PNG\0\0")
    (place.root / "a" / "b" / "c").mkdir()
    (place.root / "a" / "b" / "c" / "AGENTS.md").symlink_to("AGENTS.md")
    memory = place.load("a/b/c")
    assert place.files(memory) == ["a/b/AGENTS.md"]
    expected = [
        ("the user's own AGENTS.md is not used", "not a regular file"),
        ("AGENTS.md is not used", "leads out of the project"),
        ("a/AGENTS.md is not used", "larger than 1000000 bytes"),
        ("a/b/logo.png is not used", "not text"),
        ("a/b/c/AGENTS.md is not used", "cannot be resolved"),
    ]
    assert len(memory.notices) == len(expected)
    for notice, (beginning, words) in zip(memory.notices, expected, strict=True):
        assert notice.startswith(beginning)
        assert words in notice


def test_what_does_not_fit_is_cut_at_a_line_and_told(place: Place) -> None:
    place.write("AGENTS.md", "\n".join(["é" * 49] * 1200))
    memory = place.load(max_bytes=80_000)
    lines = memory.text.splitlines()[2:]
    assert set(lines) == {"é" * 49}
    used, size = len(lines) * 99 - 1, 1200 * 99 - 1
    assert memory.notices == (
        f"AGENTS.md was cut: {used:,} of {size:,} bytes are used; raise context.max_memory_bytes or shorten it",
    )
    assert 80_000 - 150 < len(memory.text.encode()) <= 80_000


def test_the_folders_farthest_from_the_working_folder_are_cut(place: Place) -> None:
    place.own("own\n" * 10)
    place.write("AGENTS.md", "root\n" * 100 + "@far.md")
    place.write("far.md", "far\n" * 100)
    place.write("a/AGENTS.md", "middle\n" * 100)
    place.write("a/b/AGENTS.md", "near\n" * 100 + "@x.md")
    place.write("a/b/x.md", "imported\n" * 10)
    memory = place.load("a/b", max_bytes=1200)
    assert place.files(memory) == [
        "home/.config/code-assistant/AGENTS.md",
        "a/AGENTS.md",
        "a/b/AGENTS.md",
        "a/b/x.md",
    ]
    assert [notice.split(" was")[0] for notice in memory.notices] == ["AGENTS.md", "far.md", "a/AGENTS.md"]
    assert memory.notices[0].startswith("AGENTS.md was cut: 0 of 507 bytes are used")
    assert memory.text.count("near") == 100


def test_safe_t3_a_project_cannot_push_out_the_own_file(place: Place) -> None:
    place.own("my own rule")
    place.write("AGENTS.md", "noise\n" * 20_000)
    assert "my own rule" in place.load(max_bytes=1000).text


@pytest.mark.parametrize("max_bytes", [0, 1, 17, 18, 19, 20, 21, 22, 23, 24, 25, 30])
def test_tiny_limits_hold(place: Place, max_bytes: int) -> None:
    place.write("AGENTS.md", "one\ntwo")
    memory = place.load(max_bytes=max_bytes)
    full = "# From AGENTS.md\n\none\ntwo"
    assert memory.text in ("", "# From AGENTS.md\n\none", full)
    assert (memory.notices == ()) == (memory.text == full)


def test_strange_folder_names_stay_on_one_line(place: Place) -> None:
    name = os.fsdecode(b"b\xff\nz")
    (place.root / name).mkdir()
    (place.root / name / "AGENTS.md").write_text("words")
    memory = place.load(name)
    assert memory.text == "# From b??z/AGENTS.md\n\nwords"


@pytest.mark.parametrize("mode", ["ask", "accept-edits", "plan", "yolo"])
def test_safe_p4_what_a_rule_denies_is_not_imported(place: Place, mode: PermissionMode) -> None:
    place.write("AGENTS.md", "words @.env @sub/link.md @docs/../.env")
    place.write(".env", "TOPSECRETVALUE=77")
    place.write("sub/x", "")
    (place.root / "sub" / "link.md").symlink_to("../.env")
    memory = place.load(deny=("Read(.env)",), mode=mode)
    assert "TOPSECRETVALUE" not in memory.text
    assert place.files(memory) == ["AGENTS.md"]
    assert memory.notices[0] == "AGENTS.md: @.env is not imported: the rule Read(.env) denies it."
    assert memory.notices[1] == "AGENTS.md: @sub/link.md is not imported: the rule Read(.env) denies it."


@pytest.mark.parametrize("rule", ["Read(.env)", "Read(middle.md)", "Read(AGENTS.md)", "Read"])
def test_safe_p4_a_memory_file_is_read_under_none_of_its_names_that_a_rule_denies(place: Place, rule: str) -> None:
    place.write(".env", "TOPSECRETVALUE=77")
    (place.root / "middle.md").symlink_to(".env")
    (place.root / "AGENTS.md").symlink_to("middle.md")
    memory = place.load(deny=(rule,))
    assert memory.text == ""
    assert memory.notices == (f"AGENTS.md is not used: the rule {rule} denies it.",)


def test_safe_p4_a_link_that_a_rule_names_is_not_followed_by_an_import(place: Place) -> None:
    place.write("AGENTS.md", "@link.md")
    place.write("plain.txt", "TOPSECRETVALUE=77")
    (place.root / "link.md").symlink_to("plain.txt")
    memory = place.load(deny=("Read(link.md)",))
    assert place.files(memory) == ["AGENTS.md"]
    assert memory.notices == ("AGENTS.md: @link.md is not imported: the rule Read(link.md) denies it.",)


def test_safe_p4_what_is_to_be_asked_is_left_out(place: Place) -> None:
    place.write("AGENTS.md", "@plans.md")
    place.write("plans.md", "plan words")
    memory = place.load(ask=("Read(plans.md)",))
    assert "plan words" not in memory.text
    assert memory.notices == (
        "AGENTS.md: @plans.md is not imported: it would have to be asked about: the rule Read(plans.md) says so.",
    )


def test_rules_about_files_that_are_not_there_are_not_told_of(place: Place) -> None:
    assert place.load(deny=("Read", "Read(AGENTS.md)")) == Memory("", (), ())


def test_safe_p1_keys_in_a_home_folder_that_is_the_project_are_not_imported(place: Place) -> None:
    home = place.root.parent / "home"
    place.root = home
    place.write(".ssh/id_ed25519", "TOPSECRETVALUE")
    place.write(".config/code-assistant/keys.json", "TOPSECRETVALUE")
    place.write("AGENTS.md", "@.ssh/id_ed25519 @.config/code-assistant/keys.json @fine.md")
    place.write("fine.md", "fine words")
    memory = place.load()
    assert [path.name for path in memory.files] == ["AGENTS.md", "fine.md"]
    assert len(memory.notices) == 2
    assert all("keys and other secrets are kept there" in notice for notice in memory.notices)
    assert "TOPSECRETVALUE" in place.load(allow=("Read(.ssh/id_ed25519)",)).text


def test_safe_p1_the_own_file_imports_no_keys_either(place: Place) -> None:
    home = place.root.parent / "home"
    (home / ".ssh").mkdir()
    (home / ".ssh" / "config").write_text("TOPSECRETVALUE")
    (home / "notes.md").write_text("home words @.ssh/config")
    place.own("TOPSECRETVALUE", "keys.json")
    place.own("@~/notes.md @keys.json")
    memory = place.load()
    assert [path.name for path in memory.files] == ["AGENTS.md", "notes.md"]
    assert len(memory.notices) == 2


def test_rules_count_for_the_own_file_too(place: Place) -> None:
    place.own("own words @beside.md")
    place.own("beside words", "beside.md")
    memory = place.load(deny=("Read(~/.config/code-assistant/beside.md)",))
    assert [path.name for path in memory.files] == ["AGENTS.md"]
    assert len(memory.notices) == 1


def test_the_own_file_is_the_persons_where_home_is_opened_too(place: Place) -> None:
    outside = place.root.parent / "outside.md"
    outside.write_text("outside words")
    place.own(f"own words @{outside}")
    memory = place.load(opened=("../home",))
    assert "own words" in memory.text
    assert "outside words" in memory.text


def test_settings_that_are_a_link_are_the_persons_own(place: Place) -> None:
    real = place.config.rename(place.root.parent / "settings")
    place.config.symlink_to(real)
    place.own("@beside.md")
    place.own("beside words", "beside.md")
    assert "beside words" in place.load().text


def test_safe_p1_what_agents_can_write_imports_from_the_opened_folders_only(place: Place) -> None:
    place.write("AGENTS.md", "root words @docs/style.md")
    place.write("docs/style.md", "style words")
    place.write("private.md", "private words")
    place.write("a/AGENTS.md", "below @../private.md @../docs/style.md")
    memory = place.load("a")
    assert place.files(memory) == ["AGENTS.md", "docs/style.md", "a/AGENTS.md"]
    assert memory.notices == ("a/AGENTS.md: @../private.md is not imported: it lies outside of the opened folders.",)
    assert "private words" in place.load("a", opened=(".",)).text


def test_safe_p1_a_memory_file_that_leads_out_of_the_opened_folders_is_not_used(place: Place) -> None:
    place.write("private.md", "private words")
    place.write("a/x", "")
    (place.root / "a" / "AGENTS.md").symlink_to("../private.md")
    memory = place.load("a")
    assert memory.text == ""
    assert memory.notices == ("a/AGENTS.md is not used: it lies outside of the opened folders.",)


def test_a_link_to_the_file_above_is_that_file(place: Place) -> None:
    place.write("AGENTS.md", "root words")
    place.write("a/x", "")
    (place.root / "a" / "AGENTS.md").symlink_to("../AGENTS.md")
    memory = place.load("a")
    assert (place.files(memory), memory.notices) == (["AGENTS.md"], ())


def test_safe_k1_keys_of_ours_are_masked_as_in_results_of_tools(place: Place) -> None:
    key = "sk-ant-api03-Zq7Lm2Xw9Rt4Vb6Nc1Hd8Jf3"
    place.own(f"own {key}")
    place.write("AGENTS.md", f"root {key} @more.md")
    place.write("more.md", f"more {key}")
    text = place.load(secrets=(key,)).text
    assert key not in text
    assert text.count("[key removed]") == 3
