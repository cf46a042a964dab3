"""Protected places that lie elsewhere than where they are named: behind links, and where git's configuration says."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from code_assistant.workspace.commands.sandbox.sandbox import Grounds, Sandbox
from code_assistant.workspace.spill import SpillFolder
from tests.unit.workspace.commands.sandbox.world import WalledEngine, World, git, needs_bubblewrap

pytestmark = needs_bubblewrap

PASSED = ("first/second", "deep/down", ".git", "store/of/git")
# Whatever is at {0}, and every folder above it, is written, replaced, renamed, linked elsewhere.
ATTACK = """
write() {{ mkdir -p "$1"; echo evil > "$1/evil"; echo evil > "$1/settings.json"; echo evil > "$1/pre-commit"; }}
place={0}
while [ "$place" != . ]; do
  echo evil >> "$place"; write "$place"; rm -rf "$place"; mv "$place" "$place.away"; ln -sfnT "$PWD/mine" "$place"
  write "$place"; rm -f "$place"; echo evil > new; mv -fT new "$place"
  mkdir fresh && write fresh; rm -f "$place"; mv -fT fresh "$place"; rm -rf fresh
  place=$(dirname "$place")
done
mkdir -p "$(dirname {0})"; write {0}; rm -rf {0}; echo evil > {0}
true
"""


def _file(place: Path, content: str = "as it was") -> Path:
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(content)
    return place


def _link(place: Path, target: str) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    place.symlink_to(target)


def _linked_folder(root: Path) -> tuple[str, ...]:
    _file(root / "deep/down/here/settings.json")
    _link(root / ".claude", "deep/down/here")
    return (".claude", "deep/down/here/settings.json")


def _chain_of_links(root: Path) -> tuple[str, ...]:
    _file(root / "third/here/settings.json")
    _link(root / "first/second", "../third")
    _link(root / ".claude", "first/second/here")
    return ("first/second", "third/here/settings.json")


def _up_from_a_folder(root: Path) -> tuple[str, ...]:
    _file(root / "shared/settings.json")
    (root / "deep/down").mkdir(parents=True)
    _link(root / ".claude", "deep/down/../../shared")
    return ("deep/down", "shared/settings.json")


def _dangling_far_away(root: Path) -> tuple[str, ...]:
    (root / "deep/down").mkdir(parents=True)
    _link(root / ".claude", "deep/down/not/there")
    return ("deep/down/not/there",)


def _link_inside_of_a_protected_folder(root: Path) -> tuple[str, ...]:
    _file(root / "shared/further/file.json")
    _link(root / ".claude/a/settings.json", "../../shared/further/file.json")
    return ("shared/further/file.json",)


def _hook_that_is_a_link(root: Path) -> tuple[str, ...]:
    git(root, "init", "-q")
    _file(root / "scripts/hooks/check.sh")
    (root / ".git/hooks/pre-commit").symlink_to("../../scripts/hooks/check.sh")
    return ("scripts/hooks/check.sh", ".git/hooks/pre-commit")


def _folder_of_hooks(root: Path) -> tuple[str, ...]:
    git(root, "init", "-q")
    git(root, "config", "core.hooksPath", "tools/git hooks")
    _file(root / "tools/git hooks/pre-commit")
    return ('"tools/git hooks/pre-commit"',)


def _folder_of_hooks_not_there_yet(root: Path) -> tuple[str, ...]:
    git(root, "init", "-q")
    git(root, "config", "core.hooksPath", "tools/hooks")
    (root / "tools").mkdir()
    return ("tools/hooks/pre-commit",)


def _included_configuration(root: Path) -> tuple[str, ...]:
    git(root, "init", "-q")
    with (root / ".git/config").open("a") as configuration:
        configuration.write('[include]\n\tpath = "../team/git.ini" ; ours\n')
    _file(root / "team/git.ini", "[Include] path = more/second.ini\n")
    _file(root / "team/more/second.ini", "[core]\n\thooksPath = hooks here # and not there\n")
    _file(root / "hooks here/pre-commit")
    return ("team/git.ini", "team/more/second.ini", '"hooks here/pre-commit"')


def _hooks_of_the_person(root: Path) -> tuple[str, ...]:
    git(root, "init", "-q")
    _file(root.parent / ".gitconfig", "[core]\n\thooksPath = ci/hooks\n")
    _file(root / "ci/hooks/pre-commit")
    return ("ci/hooks/pre-commit",)


def _git_folder_elsewhere(root: Path) -> tuple[str, ...]:
    (root / "store/of").mkdir(parents=True)
    git(root, "init", "-q", "--separate-git-dir", str(root / "store/of/git"))
    return (".git", "store/of/git/config", "store/of/git/hooks", "store/of/git")


def _linked_git_folder(root: Path) -> tuple[str, ...]:
    (root / "store/of").mkdir(parents=True)
    git(root, "init", "-q")
    (root / ".git").rename(root / "store/of/git")
    _link(root / ".git", "store/of/git")
    return (".git", "store/of/git/config", "store/of/git/hooks", "store/of/git")


def _bare_repository(root: Path) -> tuple[str, ...]:
    git(root, "init", "-q", "--bare")
    return ("config", "hooks/pre-commit", "hooks")


def _startup_file_kept_here(root: Path) -> tuple[str, ...]:
    _file(root / "shell/rc")
    (root.parent / ".bashrc").unlink()
    _link(root.parent / ".bashrc", "project/shell/rc")
    _file(root / "config/git/config")
    _link(root.parent / ".config", "project/config")
    return ("shell/rc", "config/git/config")


WAYS: tuple[Callable[[Path], tuple[str, ...]], ...] = (
    _linked_folder,
    _chain_of_links,
    _up_from_a_folder,
    _dangling_far_away,
    _link_inside_of_a_protected_folder,
    _hook_that_is_a_link,
    _folder_of_hooks,
    _folder_of_hooks_not_there_yet,
    _included_configuration,
    _hooks_of_the_person,
    _git_folder_elsewhere,
    _linked_git_folder,
    _bare_repository,
    _startup_file_kept_here,
)


def _seen_through(root: Path, places: tuple[str, ...]) -> dict[str, str | None]:
    """What programs find under these names: the whole of a folder, with the links in it followed."""
    found: dict[str, str | None] = {}
    for name in places:
        place = root / name.strip('"')
        below = sorted(place.rglob("*")) if place.is_dir() else [place]
        for each in below:
            found[str(each.relative_to(root))] = each.read_text() if each.is_file() else str(os.path.lexists(each))
    return found


@pytest.mark.parametrize("make", WAYS, ids=lambda make: make.__name__.strip("_"))
async def test_safe_s3_what_is_protected_elsewhere(
    walled: WalledEngine, world: World, make: Callable[[Path], tuple[str, ...]]
) -> None:
    places = make(world.workspace)
    # Of a folder that is only passed, or of a whole git folder, more may change than what counts.
    seen = (".claude", ".git/config", ".git/hooks", *(place for place in places if place not in PASSED))
    before = _seen_through(world.workspace, seen)
    await walled.run("\n".join(ATTACK.format(place) for place in places))
    assert _seen_through(world.workspace, seen) == before
    # The rest is as writable as ever.
    (world.workspace / "ordinary").mkdir(exist_ok=True)
    assert await walled.text("echo mine > ordinary/file && cat ordinary/file") == "mine\n"


async def test_safe_s3_folders_inside_of_each_other(world: World, spill: SpillFolder) -> None:
    """The inner one was opened first, and its mounts are not covered by those of the outer one."""
    world.make_repository()
    inner = world.workspace / "inner"
    inner.mkdir()
    git(inner, "init", "-q")
    (inner / ".claude").symlink_to("../inner/settings")
    grounds = Grounds((inner, world.workspace), world.home, (world.state,))
    sandbox = Sandbox(grounds, SpillFolder(world.state / "scratch" / "2"), world.state / "stand-ins")
    engine = WalledEngine(world, sandbox, spill)
    before = _seen_through(inner, (".git/config", ".git/hooks"))
    await engine.run(
        "cd inner; mv .git away; mkdir .git; echo evil > .git/config; rm .claude; mkdir .claude; echo evil > .claude/x"
    )
    assert _seen_through(inner, (".git/config", ".git/hooks")) == before
    assert (inner / ".claude").is_symlink()
    assert not (inner / "settings").exists()
    await engine.close()


async def test_an_empty_git_folder_is_another_programs_stand_in(walled: WalledEngine, world: World) -> None:
    (world.workspace / ".git").mkdir()
    await walled.run("echo evil > .git/config; true")
    assert not (world.workspace / ".git").exists()


async def test_safe_s3_a_folder_that_a_command_makes_into_a_repository(walled: WalledEngine, world: World) -> None:
    made = "git init -q --bare store; mv store/* .; rmdir store; git config -f config core.fsmonitor evil; echo x > f"
    finished = await walled.run(made)
    assert "That was undone" in " ".join(finished.ending.remarks)
    with pytest.raises(subprocess.CalledProcessError):
        git(world.workspace, "rev-parse")
    assert (world.workspace / "HEAD.made-by-a-command").exists()
    # What is one already is none of its making.
    (world.workspace / "HEAD.made-by-a-command").rename(world.workspace / "HEAD")
    assert not (await walled.run("echo x > f")).ending.made_repository
    assert (world.workspace / "HEAD").exists()
