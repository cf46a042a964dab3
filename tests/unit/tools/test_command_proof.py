"""Commands that run unasked because they were proved to change nothing, and those that only look like it."""

from __future__ import annotations

import asyncio
import os
import re
import shlex
import shutil
import subprocess
import threading
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from pathlib import Path

import pytest

from code_assistant.errors import PermissionDenied
from code_assistant.permissions.access import MANY_PLACES, CommandAccess, ToolAccess
from code_assistant.permissions.approver import PermissionRequest
from code_assistant.permissions.path_patterns import Anchors
from code_assistant.permissions.rule_book import RuleBook
from code_assistant.permissions.rules import Rule
from code_assistant.permissions.shell.analysing import analyse
from code_assistant.permissions.shell.judging import MOST_PATHS
from code_assistant.tools.command_bounds import has_too_many_parts
from code_assistant.tools.command_changes import WORK_OF_PUTTING
from code_assistant.tools.command_globs import BoundedGlobs
from code_assistant.tools.command_places import TOO_MANY
from code_assistant.tools.command_proof import Prover
from code_assistant.tools.command_words import MOST_WORK
from code_assistant.tools.execute_command import ExecuteCommand
from code_assistant.workspace.workspace import Workspace
from tests.unit.tools.support import Bench, RecordingPerson

needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not there")


@pytest.fixture
async def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Bench]:
    """A person who says no to everything, so that whatever runs was not asked about."""
    home, root = tmp_path / "home", tmp_path / "work"
    home.mkdir()
    root.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home))
    made = Bench(root, RecordingPerson(allowed=False))
    yield made
    await closed(made)


async def closed(bench: Bench) -> None:
    """What is left of its commands ends."""
    await bench.services.commands.close()
    await bench.services.commands.supervisor.close()
    bench.services.spill.remove()


async def runs(bench: Bench, command: str, cwd: str = ".") -> bool:
    try:
        await bench.text(ExecuteCommand(), command=command, cwd=cwd)
    except PermissionDenied:
        return False
    return True


def _request(bench: Bench) -> PermissionRequest:
    context = bench.context
    return PermissionRequest(context.origin, context.tool_call_id, "execute_command", ToolAccess(), "")


async def proved(bench: Bench, command: str) -> CommandAccess:
    return (await Prover(command, bench.root, bench.context, _request(bench)).prove()).access


def access_of(bench: Bench) -> CommandAccess:
    access = bench.approver.requests[-1].access
    assert isinstance(access, CommandAccess)
    return access


async def test_what_reads_in_the_workspace_runs_unasked(bench: Bench) -> None:
    bench.write("a.txt", "one\ntwo\n")
    assert "two" in await bench.text(ExecuteCommand(), command="cat a.txt | grep two && ls")
    for command in ("pwd", "wc -l < a.txt", "cd . && cat a.txt", "ls *.txt", "cat a.txt 2>/dev/null"):
        assert await runs(bench, command), command
    bench.write("sub/b")
    assert await runs(bench, "cat ../*.txt", "sub"), "a glob of another folder that is open"
    assert bench.approver.requests == []


async def test_what_changes_leads_outside_or_is_not_known_is_asked_with_the_reason(bench: Bench) -> None:
    bench.write("a.txt")
    (bench.root / "link").symlink_to("/etc/passwd")
    for command in (
        "touch b",
        "cat /etc/passwd",
        "cat ~/x",
        "cat link",
        "ls ..",
        "echo x > b",
        "ls $(touch b)",
        "./ls",
    ):
        assert not await runs(bench, command), command
        assert bench.approver.requests[-1].reason, command
    assert not (bench.root / "b").exists()


async def test_safe_p1_no_glob_leads_outside(bench: Bench, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("secret")
    bench.write("a-b/x", "hello")
    bench.write(".gitignore")
    (bench.root / "a").mkdir()
    # Other shells and languages put it after `a-b/x`.
    (bench.root / "a" / "x").symlink_to(secret)
    (bench.root / os.fsdecode(b"\xc3\xa9\xff")).symlink_to(secret)
    for command in ("grep -v */x", "tac -s */x", "grep -v -e */x", "cat ???", "jq -n .g[1]'|env'"):
        assert not await runs(bench, command), command
    for command in ("cat a-b/*", "ls a-*", "head .git*", "grep hello a-b/[xy]"):
        assert await runs(bench, command), command


async def test_safe_p1_a_link_of_the_repository_leads_nowhere_by_the_folder_of_a_process(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Seen from our own folder it is a file of the workspace, seen from the command's it is not."""
    monkeypatch.chdir(bench.root)
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "f").write_text("secret")
    bench.write("l/f")
    bench.write("sub/a")
    (bench.root / "sub" / "l").symlink_to(tmp_path / "outside")
    (bench.root / "here").symlink_to("/proc/self/cwd")
    assert not await runs(bench, "cd sub && cat /proc/self/cwd/l/f")
    assert not await runs(bench, "cat ../here/l/f", "sub")
    assert not await runs(bench, "cat /proc/self/cw?/l/f", "sub")
    assert "/proc" in bench.approver.requests[-2].reason


async def test_safe_b4_a_program_of_the_workspace_is_none_of_the_systems(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = bench.write("bin/tail", "#!/bin/sh\ntouch evil\n")
    own.chmod(0o755)
    monkeypatch.setenv("PATH", f"{own.parent}:{os.environ['PATH']}")
    bench.write("a.txt", "text\n")
    assert "text" in await bench.text(ExecuteCommand(), command="tail a.txt")
    assert not (bench.root / "evil").exists()
    # Beside what a rule allows, too, which has the person's own PATH.
    allowing = Bench(bench.root, RecordingPerson(allowed=False), allow=("Bash(touch c:*)",))
    assert "text" in await allowing.text(ExecuteCommand(), command="touch c | tail a.txt")
    assert await runs(allowing, "touch c | head a.txt")
    assert not (bench.root / "evil").exists()
    await closed(allowing)


TIMED = r"""
touch z; timeout 5 time cat a.txt
touch z; nice time cat a.txt
touch z; "time" cat a.txt
touch z; \\time cat a.txt
touch z; < a.txt time cat
touch z; 2>/dev/null time cat a.txt
touch z | time cat a.txt
touch z; < a.txt \\\ntime cat
cp evil bin/cat && cat a.txt
cp evil bin/timeout && timeout 5 cat a.txt
chmod +x bin/date && date
ln -s ../evil bin/pwd && timeout 5 pwd
touch z; time cat a.txt
touch z && time -p timeout 5 time cat a.txt
""".strip().splitlines()


@pytest.mark.parametrize("command", [each.replace(r"\\n", "\n").replace("\\\\", "\\") for each in TIMED])
async def test_safe_b4_no_part_is_led_to_a_program_of_the_workspace(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    """Whether it lies there already or comes to be by another part of the command."""
    bench.write("a.txt", "text\n")
    for name in ("evil", "bin/time"):
        bench.write(name, "#!/bin/sh\ntouch marker\n").chmod(0o755)
    bench.write("bin/date", "#!/bin/sh\ntouch marker\n")
    monkeypatch.setenv("PATH", f"{bench.root}/bin:{os.environ['PATH']}")
    bench.allow = tuple(f"Bash({each}:*)" for each in ("touch", "cp", "chmod", "ln"))
    await runs(bench, command)
    assert not (bench.root / "marker").exists()


async def test_what_tells_of_a_program_says_where_path_has_another(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = bench.write(".venv/bin/python3", "#!/bin/sh\ntouch evil\n")
    own.chmod(0o755)
    assert "by PATH" not in await bench.text(ExecuteCommand(), command="ls --version && which ls")
    monkeypatch.setenv("PATH", f"{own.parent}:{os.environ['PATH']}")
    another = Bench(bench.root, RecordingPerson(allowed=False))
    for command in ("python3 --version", "which python3 ls", "type python3"):
        said = await another.text(ExecuteCommand(), command=command)
        assert f"by PATH, python3 is {own}." in said, command
    assert "by PATH" not in await another.text(ExecuteCommand(), command="ls --version; echo python3")
    assert not (bench.root / "evil").exists()
    await closed(another)


async def test_safe_b4_wrappers_and_what_scripts_start_are_those_of_the_system(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.mode = "accept-edits"
    bench.write("a.txt", "text\n")
    # Nothing of the project's on the way: what is the system's may write to where edits are allowed.
    assert await runs(bench, "timeout 5 cat a.txt > b")
    for name in ("nohup", "timeout", "grep"):
        bench.write(f".venv/bin/{name}", "#!/bin/sh\ntouch evil\n").chmod(0o755)
    monkeypatch.setenv("PATH", f"{bench.root}/.venv/bin:{os.environ['PATH']}")
    hostile = Bench(bench.root, RecordingPerson(allowed=False), mode="accept-edits", allow=("Bash(touch c)",))
    for command in ("nohup cat a.txt", "touch c | nohup cat a.txt", "touch c; nohup cat a.txt; cat a.txt"):
        assert not await runs(hostile, command), command
    for command in ("cat a.txt > c", "grep text a.txt > c", "egrep text a.txt > c", "timeout 5 cat a.txt > c"):
        assert await runs(hostile, command), command
        assert (bench.root / "c").read_text() == "text\n"
    assert await runs(hostile, "touch c | timeout 5 cat a.txt")
    assert await runs(hostile, "egrep text a.txt"), "by itself it runs with the folders of the system"
    assert not (bench.root / "evil").exists()
    await closed(hostile)


async def test_names_that_no_file_can_have_are_no_fault(bench: Bench) -> None:
    bench.deny = ("Read(.env)",)
    bench.write("a.txt")
    long = "x" * 300
    for command in (
        f"diff a.txt {long}",
        f"diff {'x/' * 3_000} a.txt",
        f"touch {long}",
        f"echo a > {long}",
        f"cd {long} && touch a",
        f"/usr/bin/{long} --version",
        f"touch ~{long} {long}* {long}/*",
    ):
        assert not await runs(bench, command), command
    assert await runs(bench, f"cat {long}"), "it fails, which does no harm"


async def test_what_may_never_end_is_asked(bench: Bench) -> None:
    os.mkfifo(bench.root / "pipe")
    for command in ("cat pipe", "cat < pipe", "head -1 p*", "cd . && cat pipe"):
        assert not await runs(bench, command), command
    assert "neither a file nor a folder" in bench.approver.requests[-1].reason


def test_what_globs_look_at_is_bounded_over_a_whole_command(tmp_path: Path) -> None:
    for name in ("a/b/c", "a/.d/c", "e/b/c"):
        (tmp_path / name).mkdir(parents=True)
    globs = BoundedGlobs(most=50)
    assert sorted(globs.matching("*/*/c", tmp_path) or ()) == ["a/b/c", "e/b/c"]
    assert sorted(globs.matching("*/*/c", tmp_path, finds_hidden=True) or ()) == ["a/.d/c", "a/b/c", "e/b/c"]
    assert globs.matching("a/.*", tmp_path) == ["a/.d"]
    assert globs.matching("missing/*", tmp_path) == []
    assert globs.matching("*/*/*/*/nope", tmp_path, finds_hidden=True) is None
    assert globs.matching("*", tmp_path) is None
    assert BoundedGlobs().matching("*/b/nope", tmp_path) == []
    assert BoundedGlobs().matching("a\0/*", tmp_path) == []
    odd = os.fsdecode(b"\xc3\xa9\xff")
    (tmp_path / odd).touch()
    assert BoundedGlobs().matching("???", tmp_path) == [odd], "some shells count bytes"


async def test_a_link_that_may_not_be_looked_at_is_no_fault(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    bench.deny = ("Edit(kept/**)",)
    bench.write("folder/file")
    (bench.root / "folder" / "barred").symlink_to("file")
    resolve = os.path.realpath

    def barred(path: os.PathLike[str] | str, **options: bool) -> str:
        if "barred" in os.fspath(path):
            raise PermissionError(path)
        return resolve(path, **options)

    monkeypatch.setattr(os.path, "realpath", barred)
    assert not (await proved(bench, "cat folder/barred/*")).is_read_only
    assert (await proved(bench, "rm -r folder")).uproots
    assert (await proved(bench, "cp -r folder/. new")).changes


async def test_globs_that_would_take_long_are_asked_about(bench: Bench) -> None:
    started = time.monotonic()
    assert not await runs(bench, "cat /*/*/*/*/*/*/nope")
    assert not await runs(bench, "cat /*/*/*/*/*/*/nope " * 50)
    assert time.monotonic() - started < 10
    assert "more names than can be looked at" in bench.approver.requests[-1].reason


async def test_paths_that_would_take_long_to_look_up_are_asked_about(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    folders = "; ".join(f"cd {'x/' * 50}{number}" for number in range(30))
    deep = f"{folders}; cat " + " ".join(f"{'y/' * 20}{number}" for number in range(40))
    assert has_too_many_parts(analyse(deep))
    for command in ("cat " + "a/b/c " * 1_000, "cd /a/b/c && cat a/b d", "cat <<E > a\n" + "word\n" * 1_000 + "E"):
        assert not has_too_many_parts(analyse(command)), command
    looked_up: list[str] = []
    resolve = Workspace.resolve
    monkeypatch.setattr(Workspace, "resolve", lambda self, text: looked_up.append(text) or resolve(self, text))
    assert not await runs(bench, deep)
    assert "more names than can be looked at" in bench.approver.requests[-1].reason
    assert access_of(bench).may_name_anything, "what keeps files from being read counts for it"
    assert len(looked_up) < 100


@pytest.mark.parametrize(
    "beginning",
    [
        "mv --t=b",
        "mv a -f",
        "rsync -a x -e y",
        "scp x -P 22",
        "install x -m 644",
        "git mv x -k",
        "ln -s --t=b",
    ],
)
async def test_safe_b1_what_is_put_into_much_is_looked_at_only_so_far(bench: Bench, beginning: str) -> None:
    bench.deny = ("Edit(kept/**)",)
    bench.write("b/file")
    access = await proved(bench, f"{beginning} {'{1..99} ' * 20}")
    assert access.may_change_anything, "a rule that keeps files counts for it"
    assert access.reason in (TOO_MANY, "rsync starts another program")
    assert len(access.changes) + len(access.copies) < MOST_WORK // WORK_OF_PUTTING


async def test_safe_b1_names_cost_what_they_have_become(bench: Bench) -> None:
    deep = " ".join(f"{letter}/{'x/' * 400}{{1..99}}" for letter in "abcdefghij")
    access = await proved(bench, f"cat {deep}")
    assert access.may_name_anything
    assert sum(len(place.named.parts) for place in access.reads) < MOST_WORK
    assert not (await proved(bench, f"rm {' '.join(f'folder/{number}' for number in range(800))}")).may_name_anything


async def test_many_names_are_compared_with_rules_outside_of_the_event_loop(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.deny = ("Read(.env)",)
    threads: list[int] = []
    compared = RuleBook.denying

    def denying(book: RuleBook, request: PermissionRequest) -> Rule | None:
        threads.append(threading.get_ident())
        return compared(book, request)

    monkeypatch.setattr(RuleBook, "denying", denying)
    for command in (f"cat {' '.join(f'n{number}' for number in range(MANY_PLACES + 1))}", "rm {1..99}", "echo a" * 200):
        access = await proved(bench, command)
        await bench.services.gate.decide(replace(_request(bench), access=access))
    assert threads
    assert threading.get_ident() not in threads


async def test_a_proof_looks_up_so_many_files_and_no_more(bench: Bench) -> None:
    names = [f"f{number}" for number in range(MOST_PATHS + 1)]
    assert await runs(bench, f"cat {' '.join(names[:-1])}")
    assert not await runs(bench, f"cat {' '.join(names)}")
    assert "more than 500 files" in bench.approver.requests[-1].reason


async def test_a_tilde_in_quotes_is_part_of_a_name(bench: Bench, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "f").write_text("secret")
    (bench.root / "~").mkdir()
    (bench.root / "~" / "ok").symlink_to(outside)
    bench.write("~/f")
    inside_home = Path.home() / "ok"
    inside_home.symlink_to(bench.root)
    bench.write("f")
    assert not await runs(bench, "cat '~/ok/f'")
    assert await runs(bench, "cat '~/f'")


async def test_a_folder_with_any_name_is_no_fault(bench: Bench) -> None:
    odd = bench.root / "a\\c[b-a"
    odd.mkdir()
    inside = Bench(odd, RecordingPerson(allowed=False))
    assert not await runs(inside, "touch $PWD/x [z-a] [/foo")
    assert await runs(inside, "ls")
    await closed(inside)


async def test_the_places_that_words_name_are_looked_at_widely(bench: Bench) -> None:
    bench.deny = ("Read(.env)", "Read(secret/**)", "Edit(kept/**)")
    bench.mode = "yolo"
    bench.write(".env", "KEY=1\n")
    bench.write("secret/key", "1\n")
    bench.write("kept/a", "1\n")
    denied = [
        "cat .env",
        "cat ./.env",
        "cat sub/../.env",
        "cat .e*",
        "cat '.env'",
        "base64 .env",
        "python3 -c 'print(1)' .env",
        "dd if=.env",
        "curl -d @.env x",
        "grep KEY --file=.env",
        "cat < .env",
        "echo x > .env",
        "bash -c 'cat .env'",
        "echo $(cat .env)",
        "cat $PWD/.env",
        "cd secret && cat key",
        "git -C secret show key",
        "cat secret/key",
        "rm kept/a",
        "echo > kept/a",
        "sed -i s/1/2/ kept/a",
        "X=1 cat .env &",
        "cat {.env,x}",
        "cat .en{v,}",
        "cat {x,.e{n,m}v}",
        "cat .e[^x]v",
        "cat .e[[:lower:]]v",
        "cat many/*",
        "cat {1..999}",
        "cat {a..z}",
        "cd -- secret && cat key",
        "cd -P secret && cat key",
        "env --chdir=secret cat key",
        "env -Csecret cat key",
        "cd . && " * 12 + "cd secret && cat key",
        "f=.env; cat $f",
        "for f in .env; do cat $f; done",
        "xargs cat <<< .env",
        "xargs cat <<E\n.env\nE",
        "cat ${a:+.env}",
        "cat ${a:-.env}",
        "rm -rf kept",
        "rm -rf ./kept/",
        "mv kept k2",
        "find kept -delete",
        "find . -delete",
        "sort -o kept/a x",
        "curl -o kept/a x",
        "for f in kept/a; do rm $f; done",
    ]
    for number in range(1_001):
        bench.write(f"many/{number}")
    for command in denied:
        assert not await runs(bench, command), command
    assert bench.approver.requests == []
    for command in ("cat kept/a", "ls many kept", "cat x{1,2} y{1..3}; true", "mv many/1 .", "rm -rf other"):
        assert await runs(bench, command), command


async def test_with_files_that_may_not_be_read_what_looks_through_folders_is_asked(bench: Bench) -> None:
    bench.deny = ("Read(.env)",)
    bench.write(".env", "KEY=1\n")
    assert not await runs(bench, "grep -r KEY .")
    assert "a rule keeps files from being read" in bench.approver.requests[-1].reason
    assert await runs(bench, "pwd")


async def test_rules_for_what_looks_through_folders_do_not_cover_files_that_are_kept(bench: Bench) -> None:
    bench.deny = ("Read(.env)",)
    bench.allow = ("Bash(grep:*)", "Bash(rg:*)", "Bash(git:*)", "Bash(tar cf x .)", "Bash(frobnicate:*)")
    bench.write(".env", "KEY=1\n")
    for command in ("grep -r KEY .", "grep -nR KEY", "rg --hidden KEY", "git grep KEY", "grep x a | grep -r KEY ."):
        assert not await runs(bench, command), command
    for command in ("grep KEY a", "git push", "tar cf x .", "frobnicate ."):
        assert await runs(bench, command), command


async def test_safe_b8_no_rule_allows_what_the_shell_evaluates_again(bench: Bench) -> None:
    evaluating = ("test", "[", "printf", "let", "read", "mapfile", "wait", "declare", "unset", "export")
    bench.allow = tuple(f"Bash({name}:*)" for name in evaluating)
    for command in (
        "test -v 'a[$(touch b)]'",
        "[ -v 'a[$(touch b)]' ]",
        "printf -v 'a[$(touch b)]' x",
        "printf '%n' 'a[$(touch b)]'",
        "let 'a[$(touch b)]'",
        "read 'a[$(touch b)]'",
        "mapfile -c 1 -C 'touch b' a < a.txt",
        "wait -p 'a[$(touch b)]'",
        "'declare' 'a[$(touch b)]=1'",
        "'unset' 'a[$(touch b)]'",
    ):
        assert not await runs(bench, command), command
    assert not (bench.root / "b").exists()
    for command in ("test -d .", "[ a = a ]", "printf '%s\\n' a", "wait"):
        assert await runs(bench, command), command


async def test_with_files_that_are_asked_about_too(bench: Bench) -> None:
    bench.ask = ("Read(.env)",)
    bench.write(".env", "KEY=1\n")
    assert not await runs(bench, "grep -r KEY .")
    assert "a rule keeps files from being read" in bench.approver.requests[-1].reason


async def test_a_file_with_further_names_is_not_written_to_unasked(bench: Bench, tmp_path: Path) -> None:
    bench.mode = "accept-edits"
    (tmp_path / "outside").write_text("x")
    os.link(tmp_path / "outside", bench.root / "inside")
    assert not await runs(bench, "echo y > inside")
    assert "further names" in bench.approver.requests[-1].reason
    assert await runs(bench, "echo y > other")
    assert (bench.root / "other").read_text() == "y\n"


WRITTEN = [
    ("ls > out:src/app.py", "out:src/app.py", ["EditFile(/out:src/app.py)"]),
    ("ls > a,tax.py", "a,tax.py", ["EditFile(/a,tax.py)"]),
    ("make >> log=tax.py", "log=tax.py", ["Bash(make)", "EditFile(/log=tax.py)"]),
    ("make &> log@2", "log@2", ["Bash(make)", "EditFile(/log@2)"]),
    ("make > --file=a.py", "--file=a.py", ["Bash(make)", "EditFile(/--file=a.py)"]),
    ("make > '~/x'", "~/x", ["Bash(make)", "EditFile(/~/x)"]),
    # Where the shell is its output goes, wherever the program goes to.
    ("make -C sub > log", "log", ["Bash(make -C sub)", "EditFile(/log)"]),
    ("git -C sub log > log", "log", ["Bash(git -C sub log)", "EditFile(/log)"]),
    # After a cd no rule for a part would be about the same.
    ("cd sub && make > log", "log", []),
]


@pytest.mark.parametrize(("command", "written", "rules"), WRITTEN, ids=[row[0] for row in WRITTEN])
async def test_safe_b7_output_goes_to_the_one_file_that_its_word_names(
    bench: Bench, command: str, written: str, rules: list[str]
) -> None:
    (bench.root / "sub").mkdir()
    bench.allow = ("Bash(make *)", "Bash(git *)")
    assert not await runs(bench, command)
    asked = bench.approver.requests[-1]
    assert asked.reason == f"it writes to {written}"
    anchors = Anchors(bench.root, (bench.root,), bench.root)
    assert [rule.text for rule in RuleBook(anchors).proposed(asked)] == rules


async def test_safe_b8_rules_see_every_file_that_output_may_go_to(bench: Bench) -> None:
    (bench.root / "sub").mkdir()
    bench.deny = ("Edit(sub/log)",)
    for command in ("cd sub; make > log", "env -C sub sh -c 'make > log'", "make > sub/l{og,}"):
        bench.approver.requests.clear()
        assert not await runs(bench, command)
        assert bench.approver.requests == [], command


async def test_safe_b6_what_is_shown_is_what_runs(bench: Bench) -> None:
    bench.approver.allowed = True
    command = "printf '%s' 'a  b\\tc'  > out # remark"
    await bench.text(ExecuteCommand(), command=command)
    assert bench.approver.requests[-1].detail == command
    assert access_of(bench).command == command
    assert (bench.root / "out").read_text() == "a  b\\tc"


async def test_rules_are_about_the_folder_that_the_person_works_in(bench: Bench) -> None:
    bench.allow = ("Bash(touch made)",)
    bench.write("sub/a")
    assert await runs(bench, "touch made")
    assert not await runs(bench, "touch made", "sub")
    assert not await runs(bench, "cd sub && touch made")
    moved = bench.services.workspace.moved_to(bench.root / "sub")
    object.__setattr__(bench.services, "workspace", moved)
    assert not await runs(bench, "touch made"), "an agent that works further down has another folder"
    assert await runs(bench, "cat a")


class Repository:
    def __init__(self, folder: Path, home: Path) -> None:
        self.folder = folder
        self.environ = {"HOME": str(home), "PATH": os.environ["PATH"], "GIT_CONFIG_NOSYSTEM": "1"}
        self.git("init", "-q", "-b", "main")
        self.git("config", "user.name", "A")
        self.git("config", "user.email", "a@example.org")
        (folder / "a.txt").write_text("one\n")
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "first")
        (folder / "a.txt").write_text("two\n")
        self.marker = folder / "marker"
        self.program = home / "program"
        self.program.write_text(f"#!/bin/sh\ntouch '{self.marker}'\ncat 2>/dev/null\n")
        self.program.chmod(0o755)

    def git(self, *arguments: str) -> str:
        words = ["git", *arguments]
        ran = subprocess.run(words, cwd=self.folder, env=self.environ, check=True, capture_output=True, text=True)
        return ran.stdout.strip()

    def set(self, *pairs: str) -> None:
        for key in pairs:
            self.git("config", key, str(self.program))

    def attributes(self, text: str) -> None:
        (self.folder / ".gitattributes").write_text(f"* {text}\n")


def _included(repository: Repository) -> None:
    file = repository.folder / "more"
    file.write_text(f"[core]\n\tfsmonitor = {repository.program}\n")
    repository.git("config", "include.path", "../more")


def _filter(repository: Repository) -> None:
    repository.set("filter.x.clean", "filter.x.smudge", "filter.x.process")
    repository.attributes("filter=x")


def _diff(repository: Repository, word: str) -> None:
    repository.set(f"diff.x.{word}")
    repository.attributes("diff=x")


def _work_tree(repository: Repository) -> None:
    """A repository whose folder is elsewhere, with a configuration of its own."""
    elsewhere = repository.program.parent / "elsewhere"
    (repository.folder / ".git").rename(elsewhere)
    (repository.folder / ".git").write_text(f"gitdir: {elsewhere}\n")
    subprocess.run(
        ["git", "--git-dir", str(elsewhere), "config", "core.fsmonitor", str(repository.program)],
        env=repository.environ,
        check=True,
    )


def _linked(repository: Repository) -> None:
    elsewhere = repository.program.parent / "elsewhere"
    (repository.folder / ".git").rename(elsewhere)
    (repository.folder / ".git").symlink_to(elsewhere)


def _submodule(repository: Repository) -> None:
    """Git looks into what it takes for a submodule, and does what that is configured to do."""
    below = repository.folder / "below"
    below.mkdir()
    inner = Repository(below, repository.program.parent)
    inner.git("config", "core.fsmonitor", str(repository.program))
    inner.set("filter.x.clean")
    inner.attributes("filter=x")
    repository.git("-c", "core.fsmonitor=false", "add", "below")
    repository.marker.unlink(missing_ok=True)


def _forgotten_submodule(repository: Repository) -> None:
    """Only the index and the last commit know of it, and that it is to be looked into."""
    _submodule(repository)
    modules = repository.folder / ".gitmodules"
    modules.write_text('[submodule "below"]\n\tpath = below\n\turl = ./below\n\tignore = none\n')
    repository.git("-c", "core.fsmonitor=false", "add", ".gitmodules")
    repository.git("-c", "core.fsmonitor=false", "commit", "-q", "-m", "second")
    modules.unlink()


def _own(repository: Repository, key: str) -> None:
    repository.git("config", "--global", key, str(repository.program))
    repository.attributes("diff=x")


def _alternates(repository: Repository) -> None:
    (repository.folder / ".git/objects/info/alternates").write_text("/nowhere\n")


def _linked_inside(repository: Repository, name: str) -> None:
    elsewhere = repository.program.parent / "elsewhere"
    (repository.folder / ".git" / name).rename(elsewhere)
    (repository.folder / ".git" / name).symlink_to(elsewhere)


def _declared_submodules(repository: Repository) -> None:
    (repository.folder / ".gitmodules").write_text("")


def _hook(repository: Repository) -> None:
    hook = repository.folder / ".git" / "hooks" / "post-index-change"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\ntouch '{repository.marker}'\n")
    hook.chmod(0o755)


def _worktree_configuration(repository: Repository) -> None:
    repository.git("config", "extensions.worktreeConfig", "true")
    repository.git("config", "--worktree", "core.fsmonitor", str(repository.program))


ASKED: dict[str, Callable[[Repository], object]] = {
    "fsmonitor": lambda each: each.set("core.fsmonitor"),
    "external diff": lambda each: each.set("diff.external"),
    "textconv": lambda each: _diff(each, "textconv"),
    "diff command": lambda each: _diff(each, "command"),
    "filter": _filter,
    "hooksPath": lambda each: each.git("config", "core.hooksPath", "hooks"),
    "include": _included,
    "includeIf": lambda each: each.git("config", "includeIf.gitdir:/.path", "x"),
    "worktree": lambda each: each.git("config", "core.worktree", ".."),
    "configuration of a work tree": _worktree_configuration,
    "gitdir elsewhere": _work_tree,
    "linked gitdir": _linked,
    "pager": lambda each: each.set("core.pager", "pager.diff", "pager.log"),
    "credential": lambda each: each.set("credential.helper"),
    "gpg": lambda each: each.set("gpg.program"),
    "signatures": lambda each: each.git("config", "log.showSignature", "true"),
    "editor": lambda each: each.set("core.editor", "sequence.editor"),
    "ssh": lambda each: each.set("core.sshCommand"),
    "partial clone": lambda each: each.git("config", "remote.origin.promisor", "true"),
    "submodules": _declared_submodules,
    "submodule that nobody declared": _submodule,
    "submodule of the index": _forgotten_submodule,
    "submodule settings": lambda each: each.git("config", "submodule.x.ignore", "none"),
    "external diff of the person": lambda each: _own(each, "diff.external"),
    "textconv of the person": lambda each: _own(each, "diff.x.textconv"),
    "diff command of the person": lambda each: _own(each, "diff.x.command"),
    "merges shown by merging again": lambda each: each.git("config", "--global", "log.diffMerges", "remerge"),
    "split index": lambda each: each.git("update-index", "--split-index"),
    "objects elsewhere": _alternates,
    **{
        f"linked {name}": lambda each, name=name: _linked_inside(each, name)
        for name in ("objects", "refs/heads", "index")
    },
}
# Harmless by how git is run: whether it is asked is not what matters.
DEFUSED: dict[str, Callable[[Repository], object]] = {
    "hook": _hook,
    "alias": lambda each: each.git("config", "alias.status", f"!{each.program}"),
    "merge driver of the person": lambda each: _own(each, "merge.x.driver"),
    "merges shown in a way of the person's": lambda each: each.git("config", "--global", "log.diffMerges", "separate"),
}
LOOKING = ["git status", "git diff", "git log -p", "git show HEAD", "git blame a.txt", "git ls-files", "git status -s"]
LOOKING_FURTHER = [
    "git status --ignore-submodules=none",
    "git diff --ignore-submodules=none",
    "git diff --submodule=diff",
]


@needs_git
@pytest.mark.parametrize("name", [*ASKED, *DEFUSED])
async def test_safe_b5_a_hostile_repository_starts_nothing(bench: Bench, name: str) -> None:
    repository = Repository(bench.root, bench.root.parent / "home")
    {**ASKED, **DEFUSED}[name](repository)
    repository.marker.unlink(missing_ok=True)
    bench.allow = ("Bash(mkdir:*)",)
    looking = (*LOOKING_FURTHER, *LOOKING)
    ran = [command for each in looking for command in (f"mkdir -p x && {each}", each) if await runs(bench, command)]
    assert not repository.marker.exists()
    if name in ASKED:
        assert ran == []
        assert "start a program" in bench.approver.requests[-1].reason


def _reading_git(bench: Bench, *allow: str) -> Repository:
    """What is allowed beside git, as a person would allow it; `check` is a program of the project."""
    repository = Repository(bench.root, bench.root.parent / "home")
    bench.write("check", "#!/bin/sh\nenv > seen\n").chmod(0o755)
    bench.allow = ("Bash(./check:*)", "Bash(touch:*)", *allow)
    return repository


AMONG_OTHERS = r"""
./check && git status
git status && ./check
./check; git diff --stat | tail -3
touch c && timeout 5 git status -s && time git log --oneline && nice git diff
touch c\ngit log -p | head -1
./check -q 2>&1 | tail -5 && git status && git status
./check && git "diff" 'a.txt'
./check > out.txt 2>&1; git status
mkdir -p x/y && rm -r x && git status
git add -A && git commit -q -m 'mended: it && git' && git log -1
git add -A && git commit -q -m x && git push -q far main && git tag v1 && git branch new && git status
git fetch -q && git status
git status > list.txt
touch c # git status\nprintf 'git status\n' && git status # git log
'gi't status; "git" log -1; \git diff && git status -s; ./check
""".strip().splitlines()


@needs_git
@pytest.mark.parametrize("command", [each.replace(r"\n", "\n") for each in AMONG_OTHERS])
async def test_git_that_reads_runs_among_what_rules_allow(bench: Bench, tmp_path: Path, command: str) -> None:
    repository = _reading_git(
        bench,
        *("Bash(mkdir:*)", "Bash(rm -r x)", "Edit(list.txt)", "Edit(out.txt)"),
        *(f"Bash(git {each}:*)" for each in ("add", "commit", "fetch", "push", "tag", "branch")),
    )
    repository.git("init", "-q", "--bare", str(tmp_path / "far"))
    repository.git("remote", "add", "far", str(tmp_path / "far"))
    proof = await Prover(command, bench.root, bench.context, _request(bench)).prove()
    assert _without_settings(proof.script, await _settings(bench), proof.access) == command
    ran = await bench.run(ExecuteCommand(), command=command)
    assert bench.approver.requests == []
    assert not ran.failed, ran.content
    # The settings that git is given for its proof are for that part alone.
    seen = bench.root / "seen"
    assert seen.exists() == ("check" in command)
    assert not seen.exists() or "GIT_CONFIG" not in seen.read_text()


async def _settings(bench: Bench) -> str:
    """What stands before git that has the settings of its proof."""
    alone = await Prover("git status", bench.root, bench.context, _request(bench)).prove()
    return f"{shlex.join(('/usr/bin/env', *(f'{name}={value}' for name, value in alone.variables)))} "


def _without_settings(script: str, settings: str, access: CommandAccess) -> str:
    """The script without them, of which each git that only reads has them."""
    assert access.analysis is not None
    harmless = [each for each in access.analysis.members if each in access.harmless]
    readers = [each.words[0].text for each in harmless if each.program not in ("printf", "echo")]
    before, *pieces = script.split(settings)
    assert len(pieces) == len(readers) > 0
    for piece, reader in zip(pieces, readers, strict=True):
        # What is around it is found in the folders of the system, too.
        assert re.sub(r"\A(?:timeout 5 |nice )*", "", piece).startswith(reader)
    return before + "".join(pieces)


@needs_git
async def test_safe_b6_what_the_person_said_yes_to_runs_as_it_was_shown(bench: Bench) -> None:
    """Git that runs on its proof leaves the index as it is; asked for and allowed, it does what it always does."""
    repository = _reading_git(bench)
    (bench.root / "check").unlink()
    index = bench.root / ".git/index"
    before = index.read_bytes()
    repository.git("checkout", "-q", "a.txt")
    unchanged = index.read_bytes()
    assert unchanged != before
    os.utime(bench.root / "a.txt", (1, 1))
    output = await bench.text(ExecuteCommand(), command="touch c && git status -s")
    assert "?? c" in output
    assert index.read_bytes() == unchanged
    asking = Bench(bench.root, RecordingPerson())
    await asking.text(ExecuteCommand(), command="touch c && git status -s")
    assert [request.detail for request in asking.approver.requests] == ["touch c && git status -s"]
    assert index.read_bytes() != unchanged
    await closed(asking)


CHANGING_GIT = r"""
cp evil .git/config && git status
cp evil x && git status
./check > .git/config; git status
git status && ./check > .git/config
./check .git/config && git status
touch .git/x && git status
rm -rf .git && git status
rm -rf . ; git status
git config core.fsmonitor ./check && git status
git -c a.b=c config core.fsmonitor ./check && git status
git checkout -q other && git status
git fetch -u . other:main && git add below && git status
git fetch {-u,.} && git status
git remote add x y && git status
tsc && git status
ln -s evil x && git status
mv evil x && git status
frobnicate && git status
./check && cd x && git status
dd of=x < evil | git status
git status | dd of=x
tee .gitmodules < evil && git add below && git status
tee ~/.gitconfig < evil; git status
cat evil > gitconfig && git status
git log > gitconfig && git status
truncate -s 9 gitconfig && git status
tee hard < evil && git status
git push -q . other:main && git status
git push -q -f far other && git status
git branch -f main other && git status
git branch -M other main && git status
git tag -f t other && git status
git push -q . other:refs/replace/abc && git status
tee leading < evil | git status
tee leadin[g] < evil | git status
tee lead{ing,} < evil | git status
./check && git diff --submodule=diff
./check && git diff --ext-diff
nohup git status && ./check
""".strip().splitlines()
PROGRAMS = ("cp", "rm", "tsc", "ln", "mv", "frobnicate", "tee", "truncate", "dd", "cd")


@needs_git
@pytest.mark.parametrize("command", CHANGING_GIT)
async def test_safe_b5_after_what_may_change_what_git_goes_by_it_is_asked_about(bench: Bench, command: str) -> None:
    _reading_git(
        bench,
        *(f"Bash({each}:*)" for each in PROGRAMS),
        *(f"Bash({each}:*)" for each in ("git config", "git -c", "git checkout", "git fetch", "git add", "git remote")),
        *(f"Bash({each}:*)" for each in ("git push", "git tag", "git branch")),
        *("Edit(.git/config)", "Edit(.gitmodules)", "Edit(gitconfig)"),
    )
    (bench.root / "hard").hardlink_to(bench.root / ".git/config")
    (bench.root / "leading").symlink_to(".git/config")
    bench.write("evil", "[core]\n\tfsmonitor = ./check\n")
    assert not await runs(bench, command)
    assert not (bench.root / "seen").exists()


EVERYDAY_AMONG_OTHERS = [
    "printf x",
    "which ls",
    "egrep text a.txt",
    "python3 --version",
    "type ls",
    "test -f a.txt",
    "cat a.txt",
]


@pytest.mark.parametrize("command", EVERYDAY_AMONG_OTHERS)
async def test_what_runs_unasked_alone_does_so_beside_what_rules_allow(bench: Bench, command: str) -> None:
    bench.write("a.txt", "text\n")
    bench.allow = ("Bash(touch:*)",)
    alone = await bench.text(ExecuteCommand(), command=command)
    beside = await bench.text(ExecuteCommand(), command=f"touch c; {command}")
    assert bench.approver.requests == []
    assert beside.rpartition(" · ")[0] == alone.rpartition(" · ")[0]


@needs_git
async def test_no_command_of_git_shows_one_thing_in_the_place_of_another(bench: Bench) -> None:
    repository = Repository(bench.root, bench.root.parent / "home")
    bench.write(".env", "KEY=hush\n")
    repository.git("add", "-f", ".env")
    repository.git("commit", "-q", "-m", "second")
    blobs = {name: repository.git("rev-parse", f"HEAD:{name}") for name in (".env", "a.txt")}
    repository.git("rm", "-q", "--cached", ".env")
    repository.git("commit", "-q", "-m", "third")
    repository.git("update-ref", "refs/remotes/o/b", blobs[".env"])
    repository.git("update-ref", f"refs/replace/{blobs['a.txt']}", blobs[".env"])
    bench.deny = ("Read(.env)",)
    assert "-one" in await bench.text(ExecuteCommand(), command="git diff")
    assert await runs(bench, "git branch -r")
    assert not await runs(bench, "git branch -r --format='%(raw)'")
    assert not await runs(bench, "git branch -r --sort=raw")


async def test_safe_p4_what_installs_without_running_anything_may_leave_links(bench: Bench) -> None:
    bench.write("node_modules/x/s")
    bench.allow = ("Bash(npm install:*)", "Bash(npm test)", "Bash(git push:*)", "Bash(python3 -m tarfile:*)")
    assert not await runs(bench, "npm install --ignore-scripts && cat node_modules/x/s")
    assert not await runs(bench, "npm install --ignore-scripts=true && cat node_modules/x/s")
    assert not await runs(bench, "python3 -m tarfile -e x.tar && cat node_modules/x/s")
    assert not await runs(bench, "git push -q . evil:main && cat node_modules/x/s")
    assert await runs(bench, "npm test && cat node_modules/x/s")
    assert await runs(bench, "git push -q origin main && cat node_modules/x/s")


@needs_git
async def test_safe_b5_no_submodule_comes_to_be_by_adding_it_first(bench: Bench) -> None:
    """The last commit says that it is to be looked into; the file that says so is gone, and the folder was unknown."""
    repository = _reading_git(bench, "Bash(git add:*)")
    _submodule(repository)
    modules = repository.folder / ".gitmodules"
    modules.write_text('[submodule "below"]\n\tpath = below\n\turl = ./below\n\tignore = none\n')
    repository.git("rm", "-q", "-f", "--cached", "below")
    repository.git("add", ".gitmodules")
    repository.git("commit", "-q", "-m", "second")
    modules.unlink()
    assert await runs(bench, "git status")
    assert not await runs(bench, "git add below && git status")
    repository.git("rm", "-q", "--cached", ".gitmodules")
    assert not await runs(bench, "git add below && git status"), "it is still in the last commit"
    assert not repository.marker.exists()


@needs_git
async def test_an_ordinary_repository_is_looked_at_unasked_and_left_as_it_is(bench: Bench) -> None:
    repository = Repository(bench.root, bench.root.parent / "home")
    index = (bench.root / ".git/index").read_bytes()
    for command in LOOKING:
        assert await runs(bench, command), (command, bench.approver.requests[-1].reason)
    assert (bench.root / ".git/index").read_bytes() == index
    assert bench.approver.requests == []
    assert repository.folder == bench.root


@needs_git
async def test_safe_t1_in_a_folder_that_is_not_trusted_git_is_asked_nothing(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    Repository(bench.root, bench.root.parent / "home")
    started: list[object] = []
    monkeypatch.setattr(asyncio, "create_subprocess_exec", lambda *words, **_: started.append(words))
    bench.__dict__["services"] = replace(bench.services, is_trusted=False)
    assert not await runs(bench, "git status")
    assert "not trusted" in bench.approver.requests[-1].reason
    assert started == []


@needs_git
async def test_safe_b4_git_in_another_folder_or_after_cd_is_asked(bench: Bench) -> None:
    Repository(bench.root, bench.root.parent / "home")
    bench.write("sub/a")
    assert not await runs(bench, "git status", "sub")
    assert not await runs(bench, "cd sub && git status")
    assert not await runs(bench, "git -C sub status")


@needs_git
async def test_safe_b5_a_folder_that_looks_like_a_bare_repository_is_asked(bench: Bench) -> None:
    outer = Repository(bench.root, bench.root.parent / "home")
    bare = bench.root / "bare"
    outer.git("init", "-q", "--bare", str(bare))
    outer.git("--git-dir", str(bare), "config", "core.fsmonitor", str(outer.program))
    inside = Bench(bare, RecordingPerson(allowed=False))
    assert not await runs(inside, "git status")
    assert not outer.marker.exists()
    await closed(inside)


@needs_git
async def test_safe_p4_what_another_branch_holds_as_a_link_is_not_read_unasked(bench: Bench) -> None:
    repository = Repository(bench.root, bench.root.parent / "home")
    (bench.root.parent / "secret").write_text("SECRET\n")
    repository.git("checkout", "-q", "-b", "evil")
    (bench.root / "l").symlink_to("../secret")
    repository.git("add", "l")
    repository.git("commit", "-q", "-m", "link")
    repository.git("checkout", "-q", "main")
    bench.allow = ("Bash(git checkout:*)",)
    assert not await runs(bench, "git checkout -q evil && cat l")
    assert not (bench.root / "l").is_symlink()
    assert await runs(bench, "git checkout -q evil && pwd")
    assert not await runs(bench, "cat l")
