"""Folders inside of each other, below /tmp, around private places: no command moves the walls of the next."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from code_assistant.errors import WorkspaceError
from code_assistant.workspace.commands.sandbox.hidden import moved_places
from code_assistant.workspace.commands.sandbox.sandbox import Grounds, Sandbox
from code_assistant.workspace.spill import SpillFolder
from tests.unit.workspace.commands.sandbox.world import (
    SECRET,
    WalledEngine,
    World,
    git,
    needs_bubblewrap,
    needs_landlock,
)

pytestmark = needs_bubblewrap


class Opened:
    """An engine whose sandbox has these grounds."""

    def __init__(self, world: World, spill: SpillFolder) -> None:
        self._world = world
        self._spill = spill
        self._engines: list[WalledEngine] = []

    def engine(
        self, *folders: Path, others: tuple[Path, ...] = (), own: tuple[Path, ...] = (), private: tuple[Path, ...] = ()
    ) -> WalledEngine:
        world = self._world
        grounds = Grounds(folders, world.home, (world.state, *own), others, private)
        scratch = SpillFolder(world.state / "scratch" / str(len(self._engines)))
        engine = WalledEngine(world, Sandbox(grounds, scratch, world.state / "stand-ins"), self._spill)
        engine.folder = folders[0]
        self._engines.append(engine)
        return engine

    async def close(self) -> None:
        for engine in self._engines:
            await engine.close()


@pytest.fixture
async def opened(world: World, spill: SpillFolder):
    made = Opened(world, spill)
    yield made
    await made.close()


@pytest.mark.parametrize("as_other", [False, True], ids=["opened", "writable"])
async def test_safe_s2_a_folder_inside_of_another_stays_where_it_is(
    opened: Opened, world: World, as_other: bool
) -> None:
    inner = world.workspace / "a/sub"
    inner.mkdir(parents=True)
    engine = opened.engine(world.workspace, *(() if as_other else (inner,)), others=(inner,) if as_other else ())
    await engine.run("mv a b; rm -rf a; mkdir a; ln -s ../.. a/sub; rmdir a/sub; ln -s ../.. a/sub; true")
    assert not inner.is_symlink()
    await engine.run("echo evil >> ~/.bashrc; echo evil >> ../.bashrc; echo fine > a/sub/file")
    assert (world.home / ".bashrc").read_text() == "# as it was"
    assert (inner / "file").read_text() == "fine\n"


async def test_safe_s2_a_folder_that_has_become_a_link_is_refused(opened: Opened, world: World) -> None:
    inner = world.workspace / "sub"
    inner.mkdir()
    engine = opened.engine(world.workspace, inner)
    inner.rmdir()
    inner.symlink_to(world.home)
    with pytest.raises(WorkspaceError, match="reached through a link now"):
        await engine.run("true")


@needs_landlock
async def test_safe_s2_landlock_follows_no_link_in_the_place_of_a_folder_inside(opened: Opened, world: World) -> None:
    inner = world.workspace / "a/sub"
    inner.mkdir(parents=True)
    engine = opened.engine(world.workspace, inner)
    await engine.sandbox.find_out()
    engine.sandbox.kind = "landlock"
    await engine.run("rm -rf a/sub; ln -s ../../.. a/sub")
    assert inner.is_symlink()
    await engine.run(f"echo evil >> {world.home}/.bashrc; echo fine > file")
    assert (world.home / ".bashrc").read_text() == "# as it was"
    assert (world.workspace / "file").read_text() == "fine\n"


async def test_safe_s3_the_way_to_a_workspace_below_tmp_cannot_be_replaced(opened: Opened, tmp_path: Path) -> None:
    workspace = tmp_path / "deep/ws"
    workspace.mkdir(parents=True)
    git(workspace, "init", "-q")
    before = (workspace / ".git/config").read_bytes()
    engine = opened.engine(workspace)
    top = Path("/tmp") / tmp_path.parts[2]
    await engine.run(
        f"cd /tmp; mv {top} {top}.away; mv {tmp_path}/deep {tmp_path}/x; mkdir -p real/ws; "
        f"ln -sfn /tmp/real {tmp_path}/deep; ln -sfn /tmp/real {top}; true"
    )
    await engine.run(f"cd {workspace}; echo evil > .git/config; echo evil > .git/hooks/pre-commit; echo fine > file")
    assert (workspace / ".git/config").read_bytes() == before
    assert not (workspace / ".git/hooks/pre-commit").exists()
    assert (workspace / "file").read_text() == "fine\n"


async def test_safe_s2_something_else_on_the_way_below_tmp_is_refused(opened: Opened, world: World) -> None:
    engine = opened.engine(world.workspace)
    await engine.run("ln -s /etc /tmp/way")
    engine.folder = Path("/tmp/way/below")
    with pytest.raises(WorkspaceError, match="something else in the place of /tmp/way"):
        await engine.run("true")


async def test_safe_s3_own_settings_that_are_kept_in_the_workspace_or_not_there_yet(
    opened: Opened, world: World
) -> None:
    settings = world.home / ".config/code-assistant"
    settings.parent.mkdir()
    kept = world.workspace / "dot/ours"
    kept.mkdir(parents=True)
    (kept / "config.toml").write_text("as it was")
    settings.symlink_to(kept)
    engine = opened.engine(world.workspace, own=(settings,))
    await engine.run(
        "echo evil > dot/ours/config.toml; mv dot other; mkdir -p dot/ours; echo evil > dot/ours/config.toml"
    )
    assert (settings / "config.toml").read_text() == "as it was"
    settings.unlink()
    opened_settings = opened.engine(settings.parent, own=(settings,))
    await opened_settings.run("mkdir code-assistant; echo evil > code-assistant/config.toml; touch fine")
    assert not settings.exists()
    assert (settings.parent / "fine").exists()


async def test_safe_s1_private_places_cannot_be_renamed_into_sight(opened: Opened, world: World) -> None:
    ring = world.home / ".local/share/keyrings/login"
    ring.parent.mkdir(parents=True)
    ring.write_text(SECRET)
    engine = opened.engine(world.home / ".local")
    await engine.run("mv share seen; mv share/keyrings seen; cp -r share copy")
    assert SECRET not in await engine.text("cat seen/keyrings/login seen/login share/keyrings/login copy/*/*; true")
    assert ring.read_text() == SECRET


@pytest.mark.parametrize("is_read_only", [False, True], ids=["workspace", "read-only"])
async def test_safe_s1_a_folder_inside_of_a_private_place_opens_no_more_than_itself(
    opened: Opened, world: World, is_read_only: bool
) -> None:
    cache = world.home / ".docker/cache"
    themes = world.state / "themes"
    for folder in (cache, themes):
        folder.mkdir(parents=True)
        (folder / "mine").write_text("mine")
    (world.home / ".docker/config.json").write_text(SECRET)
    (world.state / "keys.json").write_text(SECRET)
    engine = opened.engine(world.workspace, themes, others=(cache,))
    engine.is_read_only = is_read_only
    printed = await engine.text(
        f"cat {cache}/mine {themes}/mine; cat {cache}/../config.json {themes}/../keys.json {world.state}/key; "
        f"echo x > {themes}/x; echo x > {cache}/x; true"
    )
    assert printed.startswith("minemine")
    assert SECRET not in printed
    # Its own settings no command changes, whoever opened them.
    assert not (themes / "x").exists()
    assert (cache / "x").exists() is not is_read_only


async def test_safe_s1_keys_stay_hidden_that_are_kept_in_the_workspace(opened: Opened, world: World) -> None:
    kept = world.workspace / "dot/ours"
    kept.mkdir(parents=True)
    (kept / "keys.json").write_text(SECRET)
    settings = world.home / "settings"
    settings.symlink_to(kept)
    assert SECRET not in await opened.engine(world.workspace, own=(settings,)).text("cat dot/ours/keys.json; true")


async def test_safe_s1_keys_stay_hidden_where_the_whole_folder_is_opened(opened: Opened, world: World) -> None:
    (world.state / "keys.json").write_text(SECRET)
    engine = opened.engine(world.state)
    assert SECRET not in await engine.text("cat keys.json; true")


async def test_safe_s1_places_that_the_environment_names_are_hidden(opened: Opened, world: World) -> None:
    keys, settings = world.home / "keys", world.home / "settings"
    for place in (keys / "secret", settings / "gh/hosts.yml"):
        place.parent.mkdir(parents=True)
        place.write_text(SECRET)
    environ = {"GNUPGHOME": str(keys), "XDG_CONFIG_HOME": str(settings), "NETRC": "relative"}
    # A project's own file would look changed to git.
    (world.workspace / "aws").write_text("mine")
    environ["AWS_CONFIG_FILE"] = str(world.workspace / "aws")
    engine = opened.engine(world.workspace, private=moved_places(environ))
    printed = await engine.text(f"cat aws {keys}/secret {settings}/gh/hosts.yml; true")
    assert SECRET not in printed
    assert "mine" in printed


@pytest.mark.parametrize("is_read_only", [False, True], ids=["workspace", "read-only"])
async def test_safe_s1_sockets_of_others_are_out_of_reach(opened: Opened, world: World, is_read_only: bool) -> None:
    engine = opened.engine(world.workspace)
    engine.is_read_only = is_read_only
    with socket.socket(socket.AF_UNIX) as outside, socket.socket(socket.AF_UNIX) as inside:
        for listener, folder in ((outside, world.outside), (inside, world.workspace)):
            listener.bind(str(folder / "s"))
            listener.listen()
            # As that of a service that has been there for long.
            os.utime(folder / "s", (0, 0))
        connect = "python3 -c 'import socket, sys; socket.socket(socket.AF_UNIX).connect(sys.argv[1])'"
        printed = await engine.text(
            f"{connect} {world.outside}/s && echo outside; {connect} {world.workspace}/s && echo inside; true"
        )
    assert "outside" not in printed.splitlines()
    assert ("inside" in printed.splitlines()) is not is_read_only
