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


def _git_folder_that_a_file_names_through_a_link(root: Path) -> tuple[str, ...]:
    (root / "deep/store").mkdir(parents=True)
    git(root, "init", "-q", "--separate-git-dir", str(root / "deep/store/git"))
    _link(root / "way", "deep/store")
    (root / ".git").write_text("gitdir: way/git\n")
    return ("way/git/config", "way/git/hooks")


def _git_folder_that_is_part_of_another(root: Path) -> tuple[str, ...]:
    git(root, "init", "-q")
    (root / "shared").mkdir()
    for name in ("config", "hooks", "objects", "refs"):
        (root / ".git" / name).rename(root / "shared" / name)
    (root / ".git/commondir").write_text("../shared\n")
    return ("shared/config", "shared/hooks/pre-commit")


def _bare_repository(root: Path) -> tuple[str, ...]:
    git(root, "init", "-q", "--bare")
    return ("config", "hooks/pre-commit", "hooks")


def _startup_file_kept_here(root: Path) -> tuple[str, ...]:
    _file(root / "shell/rc")
    (root.parent / ".bashrc").unlink()
    _link(root.parent / ".bashrc", "project/shell/rc")
    _file(root / "config/git/config")
    _link(root.parent / ".config", "project/config")
    # What lies outside may lead here, too.
    _file(root / "fish/start.fish")
    _link(root.parent / ".local/bin/tool", "../../project/fish/start.fish")
    return ("shell/rc", "config/git/config", "fish/start.fish")


def _links_among_protected_places(root: Path) -> tuple[str, ...]:
    _file(root / ".agents/v2/settings.json")
    _file(root / ".agents/rules.md")
    _link(root / ".agents/claude", "v2")
    _link(root / ".claude", ".agents/claude")
    return (".agents/rules.md", ".agents/v2/settings.json")


def _written_by_hand(root: Path) -> tuple[str, ...]:
    git(root, "init", "-q")
    with (root / ".git/config").open("a") as configuration:
        configuration.write("[core]\n\thooksPath = hk#c\n[include]\n\tpath = ../te\\\nam.ini\n")
        configuration.write("[core]\n# C:\\\n\thooksPath = h\\\\k\n")
    _file(root / "hk/pre-commit")
    _file(root / "h\\k/pre-commit")
    _file(root / "team.ini", "[user]\n\tname = n\n")
    return ("hk/pre-commit", "team.ini", "'h\\k/pre-commit'")


def _hooks_of_the_repository_above(root: Path) -> tuple[str, ...]:
    git(root.parent, "init", "-q")
    git(root.parent, "config", "core.hooksPath", "project/hooks")
    _file(root / "hooks/pre-commit")
    return ("hooks/pre-commit",)


def _linked_hook_of_the_repository_above(root: Path) -> tuple[str, ...]:
    git(root.parent, "init", "-q")
    _file(root / "scripts/check.sh")
    _link(root.parent / ".git/hooks/pre-commit", "../../project/scripts/check.sh")
    return ("scripts/check.sh",)


def _hooks_of_the_person_without_a_repository(root: Path) -> tuple[str, ...]:
    _file(root.parent / ".gitconfig", "[core]\n\thooksPath = ~/project/hooks\n[include]\n\tpath = ~/project/extra\n")
    _file(root / "hooks/pre-commit")
    _file(root / "extra", "[user]\n\tname = n\n")
    return ("hooks/pre-commit", "extra")


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
    _git_folder_that_a_file_names_through_a_link,
    _git_folder_that_is_part_of_another,
    _bare_repository,
    _startup_file_kept_here,
    _links_among_protected_places,
    _written_by_hand,
    _hooks_of_the_repository_above,
    _linked_hook_of_the_repository_above,
    _hooks_of_the_person_without_a_repository,
)


def _seen_through(root: Path, places: tuple[str, ...]) -> dict[str, str | None]:
    """What programs find under these names: the whole of a folder, with the links in it followed."""
    found: dict[str, str | None] = {}
    for name in places:
        place = root / name.strip("\"'")
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


MADE = {
    "bare": "git init -q --bare store; mv store/* .; rmdir store; git config -f config core.fsmonitor evil",
    "in the way": "git init -q --bare store; mv store/* .; mkdir -p HEAD.made-by-a-command/x",
    "shared": "git init -q --bare sub; cp sub/HEAD .; echo sub > commondir",
    "no folders": "git init -q --bare store; cp store/HEAD .; touch objects refs; chmod +x objects refs",
}


@pytest.mark.parametrize("way", MADE)
async def test_safe_s3_a_folder_that_a_command_makes_into_a_repository(
    walled: WalledEngine, world: World, way: str
) -> None:
    finished = await walled.run(MADE[way])
    assert "That was undone" in " ".join(finished.ending.remarks)
    with pytest.raises(subprocess.CalledProcessError):
        git(world.workspace, "rev-parse", "--git-dir")
    assert not (world.workspace / "HEAD").exists()


async def test_what_is_a_repository_already_stays_one(walled: WalledEngine, world: World) -> None:
    git(world.workspace, "init", "-q", "--bare")
    assert not (await walled.run("echo x > f")).ending.made_repository
    assert (world.workspace / "HEAD").exists()


async def test_safe_s3_a_link_is_put_back_and_its_folder_can_be_written(walled: WalledEngine, world: World) -> None:
    _file(world.workspace / ".agents/settings.json")
    (world.workspace / ".claude").symlink_to(".agents")
    world.make_repository()
    git(world.workspace, "checkout", "-qb", "other")
    (world.workspace / "code.py").write_text("other\n")
    git(world.workspace, "commit", "-qam", "other")
    finished = await walled.run("git checkout -q - && cat code.py && touch new && git checkout -q other && cat code.py")
    assert (finished.ending.status, finished.output.parts.head) == (0, "pass\nother\n")
    assert not finished.ending.changed_link
    replaced = await walled.run("rm .claude; mkdir .claude; echo evil > .claude/settings.json")
    assert "The link was put back" in " ".join(replaced.ending.remarks)
    assert os.readlink(world.workspace / ".claude") == ".agents"
    assert (await walled.run("rm .claude; ln -s /etc .claude")).ending.changed_link
    assert (await walled.run("rm .claude")).ending.changed_link
    assert os.readlink(world.workspace / ".claude") == ".agents"


async def test_git_works_where_an_included_file_is_missing(walled: WalledEngine, world: World) -> None:
    world.make_repository()
    git(world.workspace, "config", "include.path", "../missing.ini")
    finished = await walled.run("git status --short && echo evil > missing.ini")
    assert "fatal" not in finished.output.parts.head
    assert not (world.workspace / "missing.ini").exists()


async def test_more_links_than_mounts_close_what_they_lead_into(walled: WalledEngine, world: World) -> None:
    for number in range(400):
        _file(world.workspace / f"src/{number}")
        _link(world.workspace / f".claude/{number}", f"../src/{number}")
    printed = await walled.text(
        "for f in src/*; do echo evil > $f; done 2>/dev/null; cat src/* | grep -c evil; echo ok > f"
    )
    assert printed == "0\n"
    assert (world.workspace / "f").exists()


def _linked_work_tree(base: Path) -> Path:
    git(base, "worktree", "add", "-q", str(base.parent / "linked"))
    git(base, "config", "core.hooksPath", "frontend/hooks")
    return base.parent / "linked/frontend"


def _own_configuration_of_a_linked_work_tree(base: Path) -> Path:
    git(base, "worktree", "add", "-q", str(base.parent / "linked"))
    git(base, "config", "extensions.worktreeConfig", "true")
    git(base.parent / "linked", "config", "--worktree", "core.hooksPath", "frontend/hooks")
    return base.parent / "linked/frontend"


def _top_of_a_linked_work_tree(base: Path) -> Path:
    folder = _own_configuration_of_a_linked_work_tree(base).parent
    git(folder, "config", "--worktree", "core.hooksPath", "hooks")
    return folder


def _submodule(base: Path) -> Path:
    other = base.parent / "other"
    git(base.parent, "clone", "-q", str(base), str(other))
    git(other, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(base), "part")
    git(other / "part", "config", "core.hooksPath", "frontend/hooks")
    return other / "part/frontend"


def _below_a_bare_repository(base: Path) -> Path:
    git(base.parent, "clone", "-q", "--bare", str(base), str(base.parent / "bare"))
    git(base.parent / "bare", "config", "core.hooksPath", "frontend/hooks")
    return base.parent / "bare/frontend"


def _git_file_behind_a_link(base: Path) -> Path:
    """What it names is relative to the link."""
    (base / ".git").rename(base / "store")
    _file(base / "elsewhere/file", "gitdir: store\n")
    _link(base / ".git", "elsewhere/file")
    git(base, "config", "core.hooksPath", "frontend/hooks")
    return base / "frontend"


AROUND: tuple[Callable[[Path], Path], ...] = (
    _linked_work_tree,
    _own_configuration_of_a_linked_work_tree,
    _top_of_a_linked_work_tree,
    _submodule,
    _below_a_bare_repository,
    _git_file_behind_a_link,
)


@pytest.mark.parametrize("make", AROUND, ids=lambda make: make.__name__.strip("_"))
async def test_safe_s3_hooks_of_a_repository_that_keeps_its_configuration_elsewhere(
    world: World, spill: SpillFolder, make: Callable[[Path], Path]
) -> None:
    world.make_repository()
    world.workspace = make(world.workspace)
    hook = _file(world.workspace / "hooks/pre-commit")
    engine = WalledEngine(world, world.sandbox(), spill)
    await engine.run(ATTACK.format("hooks/pre-commit"))
    assert hook.read_text() == "as it was"
    assert await engine.text("echo mine > ordinary && cat ordinary") == "mine\n"
    await engine.close()


async def test_safe_s3_the_git_folder_that_a_linked_file_names(walled: WalledEngine, world: World) -> None:
    world.make_repository()
    (world.workspace / ".git").rename(world.workspace / "store")
    _file(world.workspace / "elsewhere/file", "gitdir: store\n")
    _link(world.workspace / ".git", "elsewhere/file")
    before = _seen_through(world.workspace, ("store/config", "store/hooks"))
    await walled.run(ATTACK.format("store/config") + ATTACK.format("store/hooks"))
    assert _seen_through(world.workspace, ("store/config", "store/hooks")) == before


async def test_safe_s3_hooks_that_are_run_when_somebody_pushes(walled: WalledEngine, world: World) -> None:
    """Git runs them in the git folder, to which their name is relative then."""
    world.make_repository()
    git(world.workspace, "config", "core.hooksPath", "tools/hooks")
    await walled.run("mkdir -p .git/tools/hooks; echo evil > .git/tools/hooks/pre-receive; true")
    assert not (world.workspace / ".git/tools").exists()
    assert (
        await walled.text(
            "git -c user.name=n -c user.email=e@x commit -q --allow-empty -m second && git log -1 --format=%s"
        )
        == "second\n"
    )
