"""What must not be written or created inside of the workspace, whatever is there: and nothing of it is left behind."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from code_assistant.workspace.commands.sandbox.mount_plan import MountPlan
from code_assistant.workspace.commands.sandbox.mount_records import StandIn
from code_assistant.workspace.spill import SpillFolder
from tests.unit.workspace.commands.sandbox.world import WalledEngine, World, git, needs_bubblewrap
from tests.unit.workspace.commands.support import cancel

pytestmark = needs_bubblewrap

PROTECTED = (".code-assistant", ".claude", ".agents", ".mcp.json", ".vscode", ".idea", ".git")
# Tries to write, create, replace, rename and remove {0}; none may work.
ATTACK = """
echo evil > {0}; echo evil > {0}/evil; mkdir -p {0}/hooks; echo evil > {0}/config; echo evil > {0}/hooks/pre-commit
mv {0} moved; rm -rf {0}; rmdir {0}; ln -sfn /etc {0}; mkdir {0}; echo evil > other; mv -f other {0}; ln -f other {0}
cp -r {0} copy; rm -rf {0}; mv copy {0}; rm -rf copy other moved; unshare -Urm umount -l {0}; echo evil > {0}
chmod 777 {0}; touch {0}; setfattr -n user.x -v x {0}
true
"""


def _absent(place: Path) -> None:
    del place


def _file(place: Path) -> None:
    place.write_text("as it was")


def _folder(place: Path) -> None:
    place.mkdir()
    (place / "content").write_text("as it was")


def _dangling(place: Path) -> None:
    place.symlink_to("not/there")


def _link_inside(place: Path) -> None:
    (place.parent / "target").mkdir(exist_ok=True)
    place.symlink_to("target")


def _link_outside(place: Path) -> None:
    place.symlink_to(place.parents[2] / "outside" / "folder")


STATES: dict[str, Callable[[Path], None]] = {
    "absent": _absent,
    "file": _file,
    "folder": _folder,
    "dangling": _dangling,
    "inside": _link_inside,
    "outside": _link_outside,
}


@pytest.mark.parametrize("state", STATES)
async def test_safe_s3_protected_places_stay_as_they_are(walled: WalledEngine, world: World, state: str) -> None:
    # Of a git folder only a part is protected; that has tests of its own.
    names = [name for name in PROTECTED if (name, state) != (".git", "folder")]
    for name in names:
        STATES[state](world.workspace / name)
    before = world.tree()
    await walled.run("\n".join(ATTACK.format(name) for name in names))
    after = world.tree()
    # What a command may leave: things of its own, elsewhere in the workspace.
    own = {f"home/project/{name}" for name in ("other", "moved", "copy")}
    own |= {name for name in after if "made-by-a-command" in name}
    assert {name: each for name, each in after.items() if name not in own} == before


GIT_ATTACK = """
echo evil >> .git/config; git config core.fsmonitor evil; echo evil > .git/hooks/pre-commit; rm -rf .git/hooks
mv .git/config .git/gone; mv .git other; mv .git/hooks .git/away; ln -sfn /etc .git/hooks
ln -sfn /etc/passwd .git/config
echo /tmp > .git/commondir; rm .git/commondir; echo evil > .git/config.worktree; rm -f .git/config.worktree
cp -r .git copy; rm -rf .git/config; mv copy/config .git/config; rm -rf copy
true
"""


def _configuration(folder: Path) -> dict[str, bytes]:
    names = ("config", "hooks", "config.worktree", "commondir")
    return {
        str(path): path.read_bytes() if path.is_file() else b""
        for name in names
        for path in (folder / name, *sorted((folder / name).rglob("*")))
        if os.path.lexists(path)
    }


async def test_safe_s3_git_configuration_and_hooks_stay_and_git_still_works(walled: WalledEngine, world: World) -> None:
    world.make_repository()
    before = _configuration(world.workspace / ".git")
    await walled.run(GIT_ATTACK)
    assert _configuration(world.workspace / ".git") == before
    work = (
        "export GIT_AUTHOR_NAME=n GIT_AUTHOR_EMAIL=e@x GIT_COMMITTER_NAME=n GIT_COMMITTER_EMAIL=e@x; "
        "echo more >> code.py && git add -A && git commit -qm second && git switch -qc branch && git tag t && "
        "git log --format=%s && git status --short && git stash list && git gc -q"
    )
    finished = await walled.run(work)
    assert (finished.ending.status, finished.output.parts.head) == (0, "second\nfirst\n")
    assert _configuration(world.workspace / ".git") == before


async def test_safe_s3_no_hooks_folder_and_links_in_git_folders(walled: WalledEngine, world: World) -> None:
    world.make_repository()
    folder = world.workspace / ".git"
    shutil.rmtree(folder / "hooks")
    before = _configuration(folder)
    await walled.run(GIT_ATTACK)
    assert _configuration(folder) == before
    (world.workspace / "shared").mkdir()
    (folder / "hooks").symlink_to("../shared")
    await walled.run(f"{GIT_ATTACK}; echo evil > shared/pre-commit; rm .git/hooks; mkdir .git/hooks")
    assert os.readlink(folder / "hooks") == "../shared"
    assert list((world.workspace / "shared").iterdir()) == []


async def test_safe_s3_the_git_folder_of_a_work_tree(world: World, spill: SpillFolder) -> None:
    """Its main repository lies inside of what can be written."""
    world.make_repository()
    main, world.workspace = world.workspace, world.home / "tree"
    git(main, "worktree", "add", "-q", str(world.workspace))
    both = world.sandbox()
    both._grounds = type(both._grounds)((world.workspace, world.home), world.base, (world.state,))  # pyright: ignore[reportPrivateUsage]
    engine = WalledEngine(world, both, spill)
    before = _configuration(main / ".git")
    linked = (world.workspace / ".git").read_bytes()
    await engine.run(
        f"cd {main}; echo evil >> .git/config; echo evil > .git/hooks/x; echo / > .git/worktrees/tree/commondir; "
        f"echo evil > .git/worktrees/tree/config.worktree; echo 'gitdir: /tmp' > {world.workspace}/.git; "
        f"mv .git .away; rm {world.workspace}/.git"
    )
    assert _configuration(main / ".git") == before
    assert (world.workspace / ".git").read_bytes() == linked
    assert (main / ".git/worktrees/tree/commondir").read_text() == "../..\n"
    await engine.close()


async def test_nothing_is_left_and_git_sees_nothing_meanwhile(walled: WalledEngine, world: World) -> None:
    world.make_repository()
    before = world.tree()
    async with walled.running("echo up; read -t 60 < <(sleep 60)") as task:
        # The stand-ins are there now.
        assert (world.workspace / ".claude").is_dir()
        assert git(world.workspace, "status", "--porcelain") == ""
        # Another command that ends earlier takes none of them away.
        await walled.run("true")
        assert (world.workspace / ".claude").is_dir()
        await walled.run("echo evil > .claude; mkdir .mcp.json; true")
        assert await cancel(task)
    assert world.tree() == before


async def test_what_a_person_makes_meanwhile_stays(walled: WalledEngine, world: World) -> None:
    async with walled.running("echo up; sleep 60") as task:
        (world.workspace / ".claude" / "settings.json").write_text("mine")
        assert await cancel(task)
    assert (world.workspace / ".claude" / "settings.json").read_text() == "mine"
    assert await walled.text("cat .claude/settings.json") == "mine"


async def test_two_programs_share_the_stand_ins(walled: WalledEngine, world: World, spill: SpillFolder) -> None:
    other = WalledEngine(world, world.sandbox(), spill)
    async with walled.running("echo up; sleep 60") as first, other.running("echo up; sleep 60") as second:
        assert await cancel(first)
        # Its own has ended, the other's command still needs them.
        assert (world.workspace / ".claude").is_dir()
        await walled.run("echo evil > .claude/x; true")
        assert list((world.workspace / ".claude").iterdir()) == []
        assert await cancel(second)
    assert not (world.workspace / ".claude").exists()
    await other.close()


async def test_what_a_killed_program_left_is_removed_by_the_next(walled: WalledEngine, world: World) -> None:
    records = world.state / "stand-ins"
    records.mkdir(mode=0o700)
    (world.workspace / ".claude").mkdir()
    (records / "ab.stand-in").write_bytes(b"folder\0" + os.fsencode(world.workspace / ".claude"))
    (records / "cd.stand-in").write_bytes(b"not a record")
    await walled.run("true")
    assert not (world.workspace / ".claude").exists()
    assert [each.name for each in records.iterdir()] == ["lock"]


@pytest.mark.parametrize("name", [".claude", ".mcp.json"], ids=["stand-in", "file"])
@pytest.mark.parametrize("moment", ["as_it_is", "in_order"])
async def test_safe_s3_what_is_removed_before_the_walls_stand_is_open_to_nobody(
    walled: WalledEngine, world: World, monkeypatch: pytest.MonkeyPatch, name: str, moment: str
) -> None:
    (world.workspace / ".mcp.json").write_text("as it was")
    then = getattr(MountPlan, moment)

    def removed(plan: MountPlan) -> object:
        if plan.stand_ins:
            place = world.workspace / name
            place.unlink() if place.is_file() else place.rmdir()
        return then(plan)

    monkeypatch.setattr(MountPlan, moment, removed)
    await walled.run(f"echo evil > {name}; mkdir {name}; echo evil > {name}/evil")
    assert not (world.workspace / name).exists()


async def test_safe_s3_what_stands_in_a_folder_that_a_command_has_closed(
    walled: WalledEngine, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It could not be removed after that command, and nothing can stand in for the rest; for root all is open."""
    (world.workspace / "ordinary").mkdir()
    monkeypatch.setattr(StandIn, "remove", lambda _: None)
    await walled.run("chmod 500 .")
    monkeypatch.setattr(os, "access", lambda place, mode: Path(os.fsdecode(place)) != world.workspace)
    attack = "; ".join(f"echo evil > {name}/evil" for name in PROTECTED)
    assert "mine" in await walled.text(f"{attack}; echo mine > ordinary/file; cat ordinary/file")
    world.workspace.chmod(0o755)
    assert [path.name for path in world.workspace.rglob("evil")] == []


async def test_safe_s3_a_git_folder_in_which_nothing_can_be_made_yet(
    walled: WalledEngine, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever owns it can open it; for root it is open already."""
    world.make_repository()
    place = world.workspace / ".git"
    monkeypatch.setattr(os, "access", lambda path, mode: Path(os.fsdecode(path)) != place)
    monkeypatch.setattr(StandIn, "make", _refuse)
    await walled.run("chmod 755 .git; echo evil > .git/config.worktree; echo evil > .git/commondir")
    assert not (place / "config.worktree").exists()
    assert not (place / "commondir").exists()


def _refuse(stand_in: StandIn) -> None:
    raise PermissionError(errno.EACCES, "closed", stand_in.path)
