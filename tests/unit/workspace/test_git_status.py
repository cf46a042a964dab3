"""The number of changed files: right in every kind of repository, without a trace, and without starting anything."""

from __future__ import annotations

import asyncio
import os
import shutil
import stat
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest

from code_assistant.workspace import git_status
from code_assistant.workspace.git_probe import Git, probed_git
from code_assistant.workspace.git_stand_in import fill_stand_in
from code_assistant.workspace.git_status import changed_paths, counted_paths
from tests.processes import Process, children_of, until
from tests.rows import each_row

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not there")

LISTED = ("config", "--list", "-z", "--file")


class Repository:
    """A real one, made by a git that knows nothing of this machine's configuration."""

    def __init__(self, folder: Path, home: Path) -> None:
        self.folder = folder
        self.home = home
        home.mkdir(exist_ok=True)
        folder.mkdir(parents=True)
        self.environ = {"HOME": str(home), "PATH": os.environ["PATH"], "GIT_CONFIG_NOSYSTEM": "1"}
        self.git("init", "-q", "-b", "main")
        self.git("config", "user.name", "A")
        self.git("config", "user.email", "a@example.org")

    def git(self, *arguments: str, folder: Path | None = None) -> None:
        subprocess.run(
            ["git", *arguments], cwd=folder or self.folder, env=self.environ, check=True, capture_output=True
        )

    def write(self, name: str, text: str = "text\n") -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def commit(self, *names: str) -> None:
        for name in names:
            self.write(name, f"{name}\n" * 20)
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "more")

    async def changed(self, seconds: float = 60) -> int | None:
        """As the program asks, with a limit that no slow machine reaches."""
        return await changed_paths(self.folder, self.environ, (self.folder, self.home), self.home / "state", seconds)

    def program(self, marker: Path) -> str:
        """A program that leaves a mark, and passes its input on as filters do."""
        path = self.home / "program"
        path.write_text(f"#!/bin/sh\ntouch '{marker}'\ncat\n")
        path.chmod(0o755)
        return str(path)


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    made = Repository(tmp_path / "shop", tmp_path / "home")
    made.commit("a.py", "b.py", "c.py")
    return made


async def test_a_clean_one(repository: Repository) -> None:
    assert await repository.changed() == 0


async def test_every_kind_of_change_counts_once(repository: Repository) -> None:
    repository.write("a.py", "modified\n")
    assert await repository.changed() == 1
    repository.write("b.py", "staged\n")
    repository.git("add", "b.py")
    repository.write("b.py", "staged and modified\n")
    assert await repository.changed() == 2
    (repository.folder / "c.py").unlink()
    assert await repository.changed() == 3
    repository.write("d.py")
    repository.git("add", "d.py")
    assert await repository.changed() == 4
    repository.write("new/e f\n.py")
    repository.write("new/ä.py")
    assert await repository.changed() == 6


async def test_a_renamed_file_is_one(repository: Repository) -> None:
    repository.git("mv", "a.py", "z.py")
    assert await repository.changed() == 1
    repository.write("b.py", "modified\n")
    assert await repository.changed() == 2


async def test_ignored_files_do_not_count(repository: Repository) -> None:
    repository.write(".gitignore", "*.log\nbuild/\n")
    repository.write("x.log")
    repository.write("build/y")
    assert await repository.changed() == 1


async def test_a_repository_without_a_commit(tmp_path: Path) -> None:
    empty = Repository(tmp_path / "empty", tmp_path / "home")
    assert await empty.changed() == 0
    empty.write("a")
    assert await empty.changed() == 1


async def test_thousands_of_new_files(repository: Repository) -> None:
    for number in range(5_000):
        (repository.folder / f"new-{number:04}.txt").touch()
    assert await repository.changed() == 5_000


async def test_the_settings_of_the_person_do_not_change_the_number(repository: Repository) -> None:
    lines = ["[status]", "showUntrackedFiles = no", "renames = false", "branch = true", "relativePaths = true"]
    (repository.home / ".gitconfig").write_text("\n".join(lines))
    repository.git("mv", "a.py", "z.py")
    repository.write("new/one")
    repository.write("new/two")
    assert await repository.changed() == 3


@each_row(
    ("output", "count"),
    [
        (b"", 0),
        (b" M a\0", 1),
        (b"R  new\0old\0?? x\0", 2),
        (b"RM new\0old\0", 1),
        (b" C new\0old\0 D R\0", 2),
        (b"R  new\0", 1),
    ],
)
def test_counting(output: bytes, count: int) -> None:
    assert counted_paths(output) == count


# Nothing is left behind


async def test_safe_b5_nothing_is_written(repository: Repository) -> None:
    """The index is out of date, so that git would like to write it anew."""
    for name in ("a.py", "b.py"):
        os.utime(repository.folder / name, (1_000_000_000, 1_000_000_000))
    repository.write("c.py", "modified\n")
    index = repository.folder / ".git" / "index"
    before = index.read_bytes(), index.stat().st_mtime_ns, sorted((repository.folder / ".git").rglob("*"))
    folder_before = (repository.folder / ".git").stat().st_mtime_ns
    assert await repository.changed() == 1
    assert (index.read_bytes(), index.stat().st_mtime_ns, sorted((repository.folder / ".git").rglob("*"))) == before
    assert (repository.folder / ".git").stat().st_mtime_ns == folder_before


# Nothing is started


def dirty_everywhere(repository: Repository) -> None:
    """Whatever can be asked about a file is asked about these."""
    lines = "*.py diff=evil filter=evil merge=evil\n*.txt diff=evil filter=evil\n"
    repository.write(".gitattributes", lines)
    repository.write("a.py", "modified\n")
    os.utime(repository.folder / "b.py", (1_000_000_000, 1_000_000_000))
    repository.git("mv", "c.py", "moved.py")
    repository.write("new.txt")


DANGEROUS = [
    "core.fsmonitor",
    "core.hooksPath",
    "core.worktree",
    "core.sshCommand",
    "core.pager",
    "core.editor",
    "core.askPass",
    "core.gitProxy",
    "core.alternateRefsCommand",
    "diff.external",
    "diff.evil.command",
    "diff.evil.textconv",
    "filter.evil.clean",
    "filter.evil.smudge",
    "filter.evil.process",
    "merge.evil.driver",
    "include.path",
    "includeIf.gitdir:**.path",
    "pager.status",
    "credential.helper",
    "gpg.program",
    "interactive.diffFilter",
    "sequence.editor",
    "remote.origin.uploadpack",
    "remote.origin.promisor",
    "extensions.partialClone",
    "protocol.ext.allow",
    "url.ext::sh.insteadOf",
    "hook.evil.command",
    "some.future.command",
]


@pytest.mark.parametrize("key", DANGEROUS)
async def test_safe_b5_a_repository_that_could_start_a_program_is_left_alone(
    repository: Repository, tmp_path: Path, key: str
) -> None:
    marker = tmp_path / "marker"
    assert await repository.changed() == 0
    program = repository.program(marker)
    dirty_everywhere(repository)
    repository.git("config", key, program)
    assert await repository.changed() is None
    assert not marker.exists()


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("core.fsmonitor", "true"),
        ("remote.origin.url", "ext::sh -c true"),
        ("submodule.x.update", "!true"),
    ],
)
async def test_safe_b5_values_that_name_a_program(repository: Repository, key: str, value: str) -> None:
    repository.git("config", key, value)
    assert await repository.changed() is None


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("core.fsmonitor", "false"),
        ("remote.origin.url", "git@example.org:a/b.git"),
        ("remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*"),
        ("branch.main.merge", "refs/heads/main"),
        ("submodule.x.url", "https://example.org/x"),
        ("alias.clean", "!true"),
        ("core.autocrlf", "input"),
        ("lfs.repositoryformatversion", "0"),
    ],
)
async def test_ordinary_settings_are_none(repository: Repository, key: str, value: str) -> None:
    repository.git("config", key, value)
    repository.write("new")
    assert await repository.changed() == 1


async def test_safe_b5_a_program_in_an_included_file(repository: Repository, tmp_path: Path) -> None:
    marker = tmp_path / "marker"
    program = repository.program(marker)
    dirty_everywhere(repository)
    repository.write("evil.config", f"[core]\n\tfsmonitor = {program}\n")
    repository.git("config", "include.path", "../evil.config")
    assert await repository.changed() is None
    assert not marker.exists()


async def test_safe_b5_a_program_in_the_configuration_of_the_work_tree(repository: Repository, tmp_path: Path) -> None:
    marker = tmp_path / "marker"
    program = repository.program(marker)
    repository.git("config", "extensions.worktreeConfig", "true")
    repository.git("config", "--worktree", "core.fsmonitor", program)
    assert await repository.changed() is None
    assert not marker.exists()


async def test_safe_b5_hooks_are_not_run(repository: Repository, tmp_path: Path) -> None:
    marker = tmp_path / "marker"
    program = repository.program(marker)
    dirty_everywhere(repository)
    for name in ("post-index-change", "fsmonitor-watchman", "pre-auto-gc", "post-checkout"):
        (repository.folder / ".git" / "hooks").mkdir(exist_ok=True)
        shutil.copy(program, repository.folder / ".git" / "hooks" / name)
    assert await repository.changed() == 4
    assert not marker.exists()


async def test_safe_b5_what_a_submodule_configures_is_not_run(repository: Repository, tmp_path: Path) -> None:
    """Git would go into it, and do what it says there."""
    marker = tmp_path / "marker"
    program = repository.program(marker)
    inner = Repository(repository.folder / "inner", repository.home)
    inner.commit("a.py", "b.py", "c.py")
    repository.git("add", "inner")
    repository.git("commit", "-q", "-m", "inner")
    dirty_everywhere(inner)
    for key in ("core.fsmonitor", "filter.evil.clean", "filter.evil.process"):
        inner.git("config", key, program)
    repository.write("a.py", "modified\n")
    assert await repository.changed() == 1
    assert not marker.exists()


async def test_what_the_person_has_set_is_not_run_either(repository: Repository, tmp_path: Path) -> None:
    """As by git-lfs, a monitor, a pager: theirs, so there is a number, but nothing of it is needed for that."""
    marker = tmp_path / "marker"
    program = repository.program(marker)
    dirty_everywhere(repository)
    lines = [
        f"[core]\nfsmonitor = {program}\npager = {program}\nhooksPath = {repository.home}",
        f'[filter "evil"]\nclean = {program}\nprocess = {program}\nrequired = true',
        f'[diff "evil"]\ntextconv = {program}',
        f"[diff]\nexternal = {program}",
        f"[credential]\nhelper = {program}",
    ]
    (repository.home / ".gitconfig").write_text("\n".join(lines))
    assert await repository.changed() == 4
    assert not marker.exists()


async def test_safe_b5_variables_do_not_reach_git(repository: Repository, tmp_path: Path) -> None:
    marker = tmp_path / "marker"
    program = repository.program(marker)
    repository.environ |= {
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "core.fsmonitor",
        "GIT_CONFIG_VALUE_0": program,
        "GIT_EXTERNAL_DIFF": program,
        "GIT_TRACE": str(tmp_path / "trace"),
    }
    repository.write("new")
    assert await repository.changed() == 1
    assert not marker.exists()
    assert not (tmp_path / "trace").exists()


# What was looked at is what counts


def changing_after_the_look(monkeypatch: pytest.MonkeyPatch, change: Callable[[], object]) -> None:
    """As if somebody waited for git to read the configuration the first time."""

    async def probe_and_change(root: Path, environ: Mapping[str, str], untrusted: Sequence[Path]) -> Git | None:
        git = await probed_git(root, environ, untrusted)
        change()
        return git

    monkeypatch.setattr(git_status, "probed_git", probe_and_change)


@pytest.mark.parametrize("key", DANGEROUS)
async def test_safe_b5_what_is_configured_after_the_look_is_not_run(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    marker = tmp_path / "marker"
    program = repository.program(marker)
    dirty_everywhere(repository)
    changing_after_the_look(monkeypatch, lambda: repository.git("config", key, program))
    assert await repository.changed() == 4
    assert not marker.exists()


async def test_safe_b5_a_work_tree_that_is_configured_after_the_look_is_not_run(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    marker = tmp_path / "marker"
    program = repository.program(marker)
    repository.git("config", "extensions.worktreeConfig", "true")
    dirty_everywhere(repository)
    changing_after_the_look(monkeypatch, lambda: repository.git("config", "--worktree", "filter.evil.clean", program))
    assert await repository.changed() == 4
    assert not marker.exists()


@pytest.mark.parametrize("name", ["commondir", "config.worktree", "config"])
async def test_safe_b5_files_of_git_that_appear_after_the_look_are_not_read(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    marker = tmp_path / "marker"
    program = repository.program(marker)
    other = Repository(tmp_path / "other", repository.home)
    other.git("config", "filter.evil.clean", program)
    dirty_everywhere(repository)
    text = f'[filter "evil"]\n\tclean = {program}\n' if "config" in name else f"{other.folder}/.git\n"
    changing_after_the_look(monkeypatch, lambda: repository.write(f".git/{name}", text))
    assert await repository.changed() == 4
    assert not marker.exists()


@pytest.mark.parametrize(
    "settings",
    [
        ("core.ignoreCase=true", "core.fileMode=false"),
        ('user.name=back\\slash "quoted" # no remark ; neither', "user.email= \ttwo\nlines "),
        (
            'remote.with "quotes" and \\.url=git@example.org:a/b.git',
            "remote.with.dots and\ttab.url=x",
            "branch.ümlaut.merge=y",
        ),
        ("core..bare=true", "core..worktree=/", "core..repositoryFormatVersion=99"),
    ],
)
async def test_every_setting_is_taken_over_as_it_is(repository: Repository, settings: Sequence[str]) -> None:
    for setting in settings:
        key, _, value = setting.partition("=")
        repository.git("config", key, value)
    with (repository.folder / ".git/config").open("a") as file:
        file.write("[gc]\n\tauto\n")
    git = await probed_git(repository.folder, repository.environ, ())
    assert git is not None
    place = repository.home / "place"
    place.mkdir()
    fill_stand_in(place, repository.folder / ".git", git.of_repository)
    theirs = await git.output(*LISTED, str(repository.folder / ".git/config"))
    assert theirs is not None
    assert await git.output(*LISTED, str(place / "config")) == theirs
    assert stat.S_IMODE((place / "config").stat().st_mode) == 0o600
    repository.write("new")
    assert await repository.changed() == 1


@pytest.mark.parametrize("words", [("--object-format=sha256",), ("--shared",)])
async def test_repositories_of_other_formats(tmp_path: Path, words: tuple[str, ...]) -> None:
    other = Repository(tmp_path / "other", tmp_path / "home")
    shutil.rmtree(other.folder / ".git")
    other.git("init", "-q", *words)
    other.git("config", "user.name", "A")
    other.git("config", "user.email", "a@example.org")
    other.commit("a.py", "b.py")
    other.git("update-index", "--split-index")
    other.git("pack-refs", "--all")
    other.git("checkout", "-q", "--detach")
    other.write("a.py", "modified\n")
    assert await other.changed() == 1


async def test_what_the_person_has_set_for_where_the_stand_in_lies_is_not_run(
    repository: Repository, tmp_path: Path
) -> None:
    marker = tmp_path / "marker"
    program = repository.program(marker)
    dirty_everywhere(repository)
    lines = f'[filter "evil"]\nclean = {program}\nprocess = {program}\nrequired = true'
    (repository.home / "included").write_text(lines)
    (repository.home / ".gitconfig").write_text(f'[includeIf "gitdir:{repository.home}/state/"]\npath = included')
    assert await repository.changed() == 4
    assert not marker.exists()


async def test_nothing_is_left_where_the_stand_in_was(repository: Repository) -> None:
    assert await repository.changed() == 0
    assert list((repository.home / "state").iterdir()) == []


async def test_no_number_where_no_stand_in_can_be_made(repository: Repository) -> None:
    (repository.home / "state").write_text("no folder")
    assert await repository.changed() is None


async def test_a_head_that_is_a_pipe_is_not_waited_for(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    def put_pipe() -> None:
        (repository.folder / ".git/HEAD").unlink()
        os.mkfifo(repository.folder / ".git/HEAD")

    changing_after_the_look(monkeypatch, put_pipe)
    assert await repository.changed() is None


# Where it is not asked at all


async def test_no_repository(tmp_path: Path) -> None:
    assert await changed_paths(tmp_path, {"HOME": str(tmp_path)}, (), tmp_path / "state") is None


async def test_a_folder_inside_of_a_repository_is_none(repository: Repository) -> None:
    (repository.folder / "inside").mkdir()
    assert await changed_paths(repository.folder / "inside", repository.environ, (), repository.home / "state") is None


async def test_work_trees_and_links_lead_elsewhere(repository: Repository, tmp_path: Path) -> None:
    repository.git("worktree", "add", "-q", str(tmp_path / "tree"))
    assert (tmp_path / "tree" / ".git").is_file()
    assert await changed_paths(tmp_path / "tree", repository.environ, (), repository.home / "state") is None
    linked = tmp_path / "linked"
    linked.mkdir()
    (linked / ".git").symlink_to(repository.folder / ".git")
    assert await changed_paths(linked, repository.environ, (), repository.home / "state") is None
    (repository.folder / ".git" / "commondir").write_text("../../elsewhere/.git\n")
    assert await repository.changed() is None


async def test_safe_b5_a_bare_repository_in_disguise(repository: Repository, tmp_path: Path) -> None:
    """The folder itself looks like a repository; its `.git` is none, so that git would take the folder for one."""
    marker = tmp_path / "marker"
    program = repository.program(marker)
    disguised = tmp_path / "disguised"
    shutil.copytree(repository.folder / ".git", disguised)
    (disguised / ".git").mkdir()
    (disguised / "config").write_text(f"[core]\n\tbare = false\n\tfsmonitor = {program}\n")
    assert await changed_paths(disguised, repository.environ, (), repository.home / "state") is None
    assert not marker.exists()


def gits() -> list[Process]:
    """Those that this process has started."""
    return [child for child in children_of(os.getpid()) if child.name == "git"]


def hang(repository: Repository) -> None:
    """Git waits for ever for somebody who writes into the pipe."""
    index = repository.folder / ".git" / "index"
    index.unlink()
    os.mkfifo(index)


async def test_it_takes_no_longer_than_it_may_and_leaves_nobody_behind(repository: Repository) -> None:
    hang(repository)
    assert await repository.changed(0.5) is None
    assert gits() == []


async def test_being_cancelled_leaves_nobody_behind(repository: Repository) -> None:
    hang(repository)
    task = asyncio.create_task(repository.changed())
    await until(lambda: bool(gits()))
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert gits() == []
