"""Rules about commands: what they allow part by part, and what they deny or ask for wherever it stands."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal, TypeAlias

from code_assistant.permissions.access import CommandAccess
from code_assistant.permissions.approver import Decision, PermissionRequest
from code_assistant.permissions.gate import LEAVES_SANDBOX, PLAN_REASON, Gate
from code_assistant.permissions.modes import PermissionMode
from code_assistant.permissions.person import NobodyThere
from code_assistant.permissions.rule_book import RuleBook
from code_assistant.permissions.shell.analysing import analyse
from tests.rows import each_row
from tests.unit.permissions.support import ANCHORS, place, request

Expected: TypeAlias = Literal["yes", "no", "ask"]
# What a real proof says of these; the rest of the tests is about rules.
HARMLESS = frozenset({"tail", "grep", "ls", "cat", "echo", "true", "wc"})


def run(command: str, writes: tuple[str, ...] = (), reads: tuple[str, ...] = (), **facts: object) -> PermissionRequest:
    analysis = analyse(command)
    harmless = frozenset(each for each in analysis.members if each.is_direct and each.program in HARMLESS)
    access = CommandAccess(
        command,
        analysis=analysis,
        harmless=harmless if analysis.obstacle is None else frozenset(),
        writes=tuple(map(place, writes)),
        reads=tuple(map(place, reads)),
    )
    return request("execute_command", replace(access, **facts))


def decided(
    asked: PermissionRequest, allow: str = "", deny: str = "", ask: str = "", mode: PermissionMode = "ask"
) -> Expected:
    """Rules are given with ` & ` between them."""
    book = RuleBook(ANCHORS, _rules(allow), _rules(deny), _rules(ask))
    decision = Gate(NobodyThere(), book, mode).settled(asked)
    return "ask" if decision is None else "yes" if decision.allowed else "no"


def _rules(text: str) -> list[str]:
    return [each for each in text.split(" & ") if each]


ALLOWED: list[tuple[str, str, Expected]] = [
    # Exact.
    ("Bash(make test)", "make test", "yes"),
    ("Bash(make test)", "make  test", "yes"),
    ("Bash(make test)", "make 'test'", "yes"),
    ("Bash(make test)", "make test2", "ask"),
    ("Bash(make test)", "make", "ask"),
    ("Bash(make test)", "make test x", "ask"),
    ("Bash(make test)", "make 'test x'", "ask"),
    ("Bash(make a b)", "make 'a b'", "ask"),
    ("Bash(make 'a b')", "make 'a b'", "yes"),
    ("Bash(make 'a b')", 'make "a b"', "yes"),
    ("Bash(make 'a b')", "make a\\ b", "yes"),
    ("Bash(make 'a b')", "make a b", "ask"),
    ("Bash(make ''  x)", "make x", "ask"),
    ("Bash(make test)", "./make test", "ask"),
    ("Bash(make test)", "/tmp/make test", "ask"),
    ("Bash(make test)", "Make test", "ask"),
    # Words that others may follow.
    ("Bash(npm run:*)", "npm run", "yes"),
    ("Bash(npm run *)", "npm run", "yes"),
    ("Bash(npm run:*)", "npm run build", "yes"),
    ("Bash(npm run *)", "npm run build --watch", "yes"),
    ("Bash(npm run:*)", "npm running", "ask"),
    ("Bash(npm run *)", "npm runx y", "ask"),
    ("Bash(npm run:*)", "npm 'run build'", "ask"),
    ("Bash(npm:*)", "npm", "yes"),
    ("Bash(npm:*)", "npmx", "ask"),
    ("Bash(npm:*)", "npm x *.js", "yes"),
    ("Bash(./run.sh:*)", "./run.sh a", "yes"),
    ("Bash(./run.sh:*)", "run.sh a", "ask"),
    ("Bash(run.sh:*)", "./run.sh a", "ask"),
    ("Bash(npm run:*)", "npm run '*'", "yes"),
    # Anything in between.
    ("Bash(git * main)", "git push origin main", "yes"),
    ("Bash(git * main)", "git main", "ask"),
    ("Bash(git *main)", "git remain", "yes"),
    ("Bash(git * main)", "git push origin main x", "ask"),
    ("Bash(git * main *)", "git push origin main x", "yes"),
    ("Bash(* --version)", "node --version", "yes"),
    ("Bash(* --version)", "node --version x", "ask"),
    ("Bash(npm run test*)", "npm run test:unit", "yes"),
    ("Bash(npm run test*)", "npm run build", "ask"),
    ("Bash(make *)", "make a && rm b", "ask"),
    ("Bash(make * b)", "make a && rm b", "ask"),
    ("Bash(make*)", "make a; rm b", "ask"),
    ("Bash(make * rm b)", "make a | rm b", "ask"),
    ("Bash(**)", "anything at all", "yes"),
    # A star that is one.
    ("Bash(make \\*)", "make '*'", "yes"),
    ("Bash(make \\*)", "make x", "ask"),
    ("Bash(make \\*)", "make *", "yes"),  # Exactly its text.
    ("Bash(make \\*.c)", "make ; make *.c", "ask"),
    # Several parts, several rules.
    ("Bash(make) & Bash(npm test:*)", "make && npm test", "yes"),
    ("Bash(make) & Bash(npm test:*)", "make || npm test x; make", "yes"),
    ("Bash(make) & Bash(npm test:*)", "make | npm test\nmake", "yes"),
    ("Bash(make) & Bash(npm test:*)", "make && npm test && npm publish", "ask"),
    ("Bash(make)", "make && npm test", "ask"),
    ("Bash(npm test:*)", "npm test | tail -5", "yes"),
    ("Bash(npm test:*)", "npm test 2>&1 | grep fail | wc -l", "yes"),
    ("Bash(npm test:*)", "npm test | tee log", "ask"),
    ("Bash(make && npm test)", "make && npm test", "yes"),
    ("Bash(make && npm test)", "make; npm test", "ask"),
    ("Bash(make && npm test)", "make && npm test x", "ask"),
    # What is looked through, and what is not.
    ("Bash(npm test:*)", "timeout 5 npm test", "yes"),
    ("Bash(npm test:*)", "time npm test", "yes"),
    ("Bash(npm test:*)", "nice -n 5 npm test", "yes"),
    ("Bash(npm test:*)", "nohup npm test", "yes"),
    ("Bash(npm test:*)", "stdbuf -oL npm test", "yes"),
    ("Bash(npm test:*)", "timeout 5 npm publish", "ask"),
    ("Bash(timeout:*)", "timeout 5 npm publish", "ask"),
    ("Bash(npm test:*)", "sudo npm test", "ask"),
    ("Bash(sudo:*)", "sudo npm test", "ask"),
    ("Bash(env:*)", "env npm test", "ask"),
    ("Bash(xargs:*)", "ls | xargs rm", "ask"),
    ("Bash(bash:*)", "bash -c 'npm test'", "ask"),
    ("Bash(sh:*)", "sh x.sh", "ask"),
    ("Bash(eval:*)", "eval npm test", "ask"),
    ("Bash(exec:*)", "exec npm test", "ask"),
    # Options that start something, however they are written.
    ("Bash(find:*)", "find src -name '*.py' -delete", "yes"),
    ("Bash(find:*)", "find src/* src/{a,b} -print", "yes"),
    ("Bash(find:*)", "find a -exec touch b \\;", "ask"),
    ("Bash(find:*)", "find a {-exec,touch,b,\\;}", "ask"),
    ("Bash(find:*)", "find a -{exec,x} touch b", "ask"),
    ("Bash(find:*)", "find a * touch b", "ask"),
    ("Bash(find:*)", "find a '-'{exec,x} touch b", "ask"),
    ("Bash(fd:*)", "fd -H a", "yes"),
    ("Bash(fd:*)", "fd --exec=touch", "ask"),
    ("Bash(fd:*)", "fd --exec-batch=touch", "ask"),
    ("Bash(fd:*)", "fd -xtouch", "ask"),
    ("Bash(fd:*)", "fd -HXtouch", "ask"),
    ("Bash(fdfind:*)", "fdfind -Hx touch", "ask"),
    # Braces may become options.
    ("Bash(git:*)", "git {-c,core.fsmonitor=touch\\ a,status}", "ask"),
    ("Bash(git:*)", "git -C {.,-c,a=b} status", "ask"),
    ("Bash(git:*)", "git -C . -c a=b status", "ask"),
    ("Bash", "git {-c,core.fsmonitor=touch\\ a,status}", "ask"),
    ("Bash(git:*)", "git add src/{a,b} *.py", "yes"),
    ("Bash(mkdir:*)", "mkdir -p src/{a,b}", "yes"),
    ("Bash(rm:*)", "rm *.pyc", "yes"),
    ("Bash(tar:*)", "tar czf a.tgz *", "yes"),
    ("Bash(tar:*)", "tar -I ./x -xf a.tar", "ask"),
    ("Bash(tar:*)", "tar {-I,./x} -xf a.tar", "ask"),
    # What no rule covers.
    ("Bash(npm:*)", "npm $(rm x)", "ask"),
    ("Bash(npm:*)", "npm `rm x`", "ask"),
    ("Bash(npm:*)", "npm $HOME", "ask"),
    ("Bash(npm:*)", "X=1 npm test", "ask"),
    ("Bash(npm:*)", "npm test &", "ask"),
    ("Bash(npm:*)", "(npm test)", "ask"),
    ("Bash(npm:*)", "if true; then npm test; fi", "ask"),
    ("Bash(npm:*)", "npm test <(ls)", "ask"),
    ("Bash(npm:*)", "npm 'test", "ask"),
    ("Bash(npm:*)", "npm \u202etest", "ask"),
    ("Bash(npm:*)", "npm \x1btest", "ask"),
    ("Bash(npm:*)", "npm test\r", "ask"),
    ("Bash(npm:*)", "npm " + "x" * 10_000, "ask"),
    ("Bash(npm:*)", "npm test;" * 60, "ask"),
    ("Bash", "npm $(rm x)", "ask"),
    ("Bash(*)", "X=1 npm test &", "ask"),
    ("Bash(**)", "npm $(rm x)", "ask"),
    ("Bash(npm $(rm x))", "npm $(rm x)", "ask"),
    # Everything.
    ("Bash", "npm publish && rm -rf x", "yes"),
    ("Bash(*)", "npm publish", "yes"),
    ("execute_command", "npm publish", "yes"),
    # In another folder the same words are another program.
    ("Bash(make:*)", "cd sub && make", "ask"),
    ("Bash(make:*) & Bash(cd:*)", "cd sub && make", "ask"),
    ("Bash(make:*) & Bash(pushd:*)", "pushd sub; make", "ask"),
    ("Bash(cd sub && make)", "cd sub && make", "yes"),
    # Other kinds of rules say nothing about commands.
    ("Read & Edit & WebFetch & Agent", "npm test", "ask"),
]


@each_row(("allow", "command", "expected"), ALLOWED)
def test_safe_b8_what_rules_allow_of_a_command(allow: str, command: str, expected: Expected) -> None:
    assert decided(run(command), allow) == expected


DENIED: list[tuple[str, str, bool]] = [
    ("Bash(rm:*)", "rm x", True),
    ("Bash(rm *)", "rm x", True),
    ("Bash(rm:*)", "rm", True),
    ("Bash(rm x)", "rm x", True),
    ("Bash(rm x)", "rm y", False),
    ("Bash(rm:*)", "rmdir x", False),
    ("Bash(rm:*)", "echo rm x", False),
    # By any name and any spelling.
    ("Bash(rm:*)", "/bin/rm x", True),
    ("Bash(rm:*)", "../../bin/rm x", True),
    ("Bash(/bin/rm:*)", "rm x", True),
    ("Bash(rm:*)", "'rm' x", True),
    ("Bash(rm:*)", '"rm" x', True),
    ("Bash(rm:*)", "r'm' x", True),
    ("Bash(rm:*)", "r\\m x", True),
    ("Bash(rm:*)", "\\rm x", True),
    ("Bash(rm:*)", "$'rm' x", True),
    ("Bash(rm:*)", "$'\\x72m' x", True),
    ("Bash(rm -rf:*)", "rm '-rf' x", True),
    ("Bash(rm -rf:*)", "rm   -rf   x", True),
    ("Bash(rm 'a b')", "rm a\\ b", True),
    ("Bash(rm a b)", "rm 'a b'", True),
    # Anywhere in a list.
    ("Bash(rm:*)", "make && rm x", True),
    ("Bash(rm:*)", "make || rm x", True),
    ("Bash(rm:*)", "make; rm x", True),
    ("Bash(rm:*)", "make | rm x", True),
    ("Bash(rm:*)", "make\nrm x", True),
    ("Bash(rm:*)", "make & rm x", True),
    ("Bash(rm:*)", "rm x &", True),
    # Behind what comes before it.
    ("Bash(rm:*)", "X=1 rm x", True),
    ("Bash(rm:*)", "sudo rm x", True),
    ("Bash(rm:*)", "sudo -u me rm x", True),
    ("Bash(rm:*)", "env rm x", True),
    ("Bash(rm:*)", "env A=b rm x", True),
    ("Bash(rm:*)", "timeout 5 rm x", True),
    ("Bash(rm:*)", "nice -n 5 rm x", True),
    ("Bash(rm:*)", "nohup rm x", True),
    ("Bash(rm:*)", "time rm x", True),
    ("Bash(rm:*)", "command rm x", True),
    ("Bash(rm:*)", "exec rm x", True),
    ("Bash(rm:*)", "xargs rm", True),
    ("Bash(rm:*)", "find . -exec rm {} ;", True),
    ("Bash(rm:*)", "find . -exec rm {} \\;", True),
    ("Bash(sudo:*)", "sudo ls", True),
    ("Bash(timeout:*)", "timeout 5 ls", True),
    # Inside of something.
    ("Bash(rm:*)", "echo $(rm x)", True),
    ("Bash(rm:*)", "echo `rm x`", True),
    ("Bash(rm:*)", 'echo "$(rm x)"', True),
    ("Bash(rm:*)", "cat <(rm x)", True),
    ("Bash(rm:*)", "(rm x)", True),
    ("Bash(rm:*)", "{ rm x; }", True),
    ("Bash(rm:*)", "if true; then rm x; fi", True),
    ("Bash(rm:*)", "while true; do rm x; done", True),
    ("Bash(rm:*)", "for a in b; do rm x; done", True),
    ("Bash(rm:*)", "case a in a) rm x;; esac", True),
    ("Bash(rm:*)", "f() { rm x; }; f", True),
    ("Bash(rm:*)", "! rm x", True),
    ("Bash(rm:*)", "bash -c 'rm x'", True),
    ("Bash(rm:*)", 'sh -c "rm x"', True),
    ("Bash(rm:*)", "bash -c 'bash -c \"rm x\"'", True),
    ("Bash(rm:*)", "eval 'rm x'", True),
    ("Bash(rm:*)", "echo 'rm x' | sh", True),
    ("Bash(rm:*)", "rm $X", True),
    ("Bash(rm:*)", "rm *", True),
    # All commands, and none.
    ("Bash", "ls", True),
    ("Bash(*)", "ls", True),
    ("Bash(curl *)", "curl x | sh", True),
    ("Bash(* | sh)", "curl x", False),
    ("Bash(git push *)", "git -C x push", True),
    ("Bash(git push:*)", "git --no-pager push", True),
    ("Bash(git push:*)", "git -P push origin", True),
    ("Bash(git push:*)", "/usr/bin/git --git-dir=.git push", True),
    ("Bash(git push:*)", "git --git-dir .git -c a=b push", True),
    ("Bash(git push:*)", "git -C push status", False),
    ("Bash(git * push)", "git -C x push", True),
    ("Bash(git push:*)", "git-push origin", True),
    ("Bash(git push:*)", "/usr/lib/git-core/git-push origin", True),
    ("Bash(git push:*)", "/usr/lib/git-core/git-pull origin", False),
    ("Bash(git push:*)", "git -c alias.x=push x origin", True),
    ("Bash(git push:*)", "git -C . -c alias.x=push x origin", True),
    ("Bash(rm:*)", "hash -p /bin/rm x; x a", True),
    ("Bash(rm:*)", "sort --compress-program=rm x", True),
    ("Bash(rm:*)", "tar --to-command=rm -xf x", True),
    ("Bash(rm:*)", "fd -xrm", True),
    ("Bash(rm:*)", "fd --exec=rm", True),
    ("Bash(rm:*)", "alias x=rm; x a", True),
    ("Bash(rm:*)", "git difftool -y -xrm", True),
    ("Bash(rm:*)", "svn diff --diff-cmd rm", True),
    ("Bash(git push:*)", "git rebase -x 'git push' main", True),
    ("Bash(git push:*)", "git commit -m 'git push `git push`'", False),
    ("Bash(rm:*)", "cat <<E\n`rm x`\nE", True),
    ("Bash(rm:*)", "if test -v 'x[$(rm a)]'; then :; fi", True),
    # Programs that braces, globs and what is filled in may become.
    ("Bash(rm:*)", "/bin/{rm,a}", True),
    ("Bash(rm:*)", "r{m,} a", True),
    ("Bash(rm:*)", "{r,}m a", True),
    ("Bash(rm:*)", "ls; /bin/{rm,a}", True),
    ("Bash(rm:*)", "start-stop-daemon --start --exec=/bin/rm -- a", True),
    ("Bash(rm:*)", "/bin/r? a", True),
    ("Bash(rm:*)", "/bin/r[m] a", True),
    ("Bash(rm:*)", "/bin/r* a", True),
    ("Bash(rm:*)", "/???/r? a", True),
    ("Bash(rm:*)", "/bin/l? a", False),
    ("Bash(rm:*)", "r$@m a", True),
    ("Bash(rm:*)", "r${x}m a", True),
    ("Bash(rm:*)", "r$(true)m a", True),
    ("Bash(rm:*)", "rm${IFS}a", True),
    ("Bash(rm:*)", "r$(echo $(true))m a", True),
    ("Bash(rm:*)", "/bin/r$(true)m a", True),
    ("Bash(rm:*)", "/b*/rm a", True),
    ("Bash(rm:*)", "$X/rm a", True),
    ("Bash(rm:*)", "./bin/$X a", False),
    ("Bash(rm:*)", "./bin/$X.sh a", False),
    ("Bash(rm:*)", "r*$X a", True),
    ("Bash(rm:*)", "/bin/r[]m] a", True),
    ("Bash(rm:*)", "$SUDO rm a", True),
    ("Bash(rm:*)", "$X a", False),
    ("Bash(rm:*)", "$X/python$Y a", False),
    ("Bash(rm:*)", "{'rm',a}", True),
    ("Bash(rm:*)", "$'\\x72'{m,} a", True),
    ("Bash(rm:*)", "{rm," + "a" * 1_000 + "}", True),
    ("Bash(rm:*)", "{rm," + ",".join(f"a{number}" for number in range(101)) + "}", True),
    ("Bash(rm:*)", "rm$(" + "a" * 2_000 + ")", True),
    ("Bash(rm:*)", "$(" + "a" * 2_000 + ") a", False),
    # Words that they may become.
    ("Bash(git push:*)", "git {push,origin,main}", True),
    ("Bash(git push:*)", "git pus{h,} x", True),
    ("Bash(git push:*)", "git {push,'}',x}", True),
    ("Bash(git push:*)", "git {p..p}ush", True),
    ("Bash(git push:*)", "git pus[h] origin", True),
    ("Bash(git push:*)", "git p*", True),
    ("Bash(git push:*)", "git p*{a,'b'}", True),
    ("Bash(git push:*)", "git p*$X", True),
    ("Bash(git push:*)", "git pus'h'{,}", True),
    ("Bash(git push:*)", "git stash@{0}", False),
    ("Bash(git push:*)", "git HEAD@{1..2}", False),
    ("Bash(git push:*)", "git -C . pus[h] origin", True),
    ("Bash(git push:*)", "git $X push", True),
    ("Bash(git push:*)", "git push$X", True),
    ("Bash(git push:*)", "git add *", False),
    ("Bash(git push:*)", "git add {a,b}", False),
    ("Bash(git push:*)", "git {add,push}", False),
    ("Bash(git push:*)", 'git commit -m "$X"', False),
    ("Bash(terraform destroy:*)", "terraform {destroy,-auto-approve}", True),
    ("Bash(docker compose down:*)", "docker *", True),
    ("Bash(docker compose down:*)", "docker {compose,down}", True),
    ("Bash(docker compose down:*)", "docker compose {up,-d}", False),
    ("Bash(rm -rf:*)", "rm {-rf,x}", True),
    ("Bash(rm -rf:*)", "rm -r{f,} x", True),
    ("Bash(rm -rf:*)", "rm *", True),
    ("Bash(rm -rf:*)", "rm ./*", False),
    ("Bash(rm -rf:*)", "rm *.pyc", False),
    ("Bash(rm -rf:*)", "rm {a,b}", False),
    ("Bash(rm -rf:*)", "rm a{1..3}", False),
    ("Bash(rm -rf:*)", 'rm "$f"', False),
    ("Bash(rm a.txt)", "rm *.txt", True),
    ("Bash(rm a.txt)", "rm *.txt b", False),
    ("Bash(rm * b)", "rm {a,b}", True),
    # What is only known by its first words.
    ("Bash(rm a * z)", "sudo rm a b c d e f g h i j k l z", True),
    ("Bash(rm a * z)", "xargs -x rm a b c d e f g h i j k l z", True),
    ("Bash(rm a b c d e f g h i)", "xargs -x rm a b c d e f g h i", True),
    ("Bash(rm b * z)", "xargs -x rm a b c d e f g h i j k l z", False),
    # Where a bound is reached, any of the rules counts.
    ("Bash(frobnicate:*)", "xargs ' " + "y " * 40_000 + "'", True),
    ("Agent(explore)", "ls", False),
    ("WebFetch", "curl x", False),
]


@each_row(("deny", "command", "is_denied"), DENIED)
@each_row("mode", ["ask", "yolo"])
def test_safe_b8_what_is_denied_is_so_wherever_it_stands(
    mode: PermissionMode, deny: str, command: str, is_denied: bool
) -> None:
    assert (decided(run(command), "Bash", deny, mode=mode) == "no") is is_denied
    if mode == "ask" and is_denied:
        assert decided(run(command), "Bash", ask=deny) == "ask"


# Given to a program of which nothing is known, the words of another may start it.
MENTIONED: list[tuple[str, str, bool]] = [
    ("Bash(rm:*)", "frobnicate rm a", True),
    ("Bash(rm:*)", "frobnicate -x /bin/rm a", True),
    ("Bash(rm:*)", "frobnicate --run=rm", True),
    ("Bash(rm:*)", "frobnicate exec:rm", True),
    ("Bash(rm:*)", "frobnicate 'rm a'", True),
    ("Bash(rm:*)", "frobnicate --run='rm a'", True),
    ("Bash(rm:*)", "cargo watch -x 'rm a'", True),
    ("Bash(rm:*)", "make && frobnicate rm", True),
    ("Bash(rm:*)", "git frobnicate rm a", True),
    ("Bash(rm:*)", "git -C . frobnicate 'rm a'", True),
    ("Bash(git push:*)", "frobnicate git push", True),
    ("Bash(git push:*)", "frobnicate git -C . push", True),
    ("Bash(git push:*)", "frobnicate git pull", False),
    ("Bash(git push)", "frobnicate git push x", False),
    ("Bash(rm:*)", "frobnicate a-rm rmx --rm", False),
    ("Bash(rm:*)", "frobnicate 'do not rm a'", False),
    # Programs that are known to start none of what they are given.
    ("Bash(curl:*)", "apt install curl", False),
    ("Bash(curl:*)", "pip install curl", False),
    ("Bash(rm:*)", "man rm", False),
    ("Bash(git push:*)", "gh pr create --title 'git push fails'", False),
    ("Bash(rm:*)", "echo rm", False),
    ("Bash(rm:*)", "grep rm a", False),
    ("Bash(rm:*)", "git rm a", False),
    ("Bash(rm:*)", "git commit -m 'rm a'", False),
    ("Bash(rm:*)", "docker rm a", False),
    ("Bash(rm:*)", "npm rm a", False),
    ("Bash(rm:*)", "mkdir rm", False),
]


@each_row(("rule", "command", "is_asked"), MENTIONED)
def test_safe_b8_what_could_be_started_by_a_program_that_is_not_known_is_asked_about(
    rule: str, command: str, is_asked: bool
) -> None:
    expected = "ask" if is_asked else "yes"
    assert decided(run(command), "Bash", deny=rule) == expected
    assert decided(run(command), "Bash", ask=rule) == expected
    assert decided(run(command), deny=rule, mode="yolo") == "yes"


async def test_safe_b8_such_a_doubt_is_told_and_never_kept_away_for_good() -> None:
    asked = run("frobnicate rm a")
    book = RuleBook(ANCHORS, ["Bash"], ["Bash(rm:*)"])
    reason = "it could start what the rule Bash(rm:*) denies"
    assert Gate(NobodyThere(), book).why_asked(asked) == reason
    decision = await Gate(NobodyThere(), book).decide(asked)
    assert decision.reason.endswith(reason)
    assert book.proposed(asked) == ()
    assert decided(run("frobnicate rm a", is_read_only=True), deny="Bash(rm:*)") == "yes"


ORDER: list[tuple[str, str, str, str, Expected]] = [
    ("Bash(git:*)", "", "Bash(git push:*)", "git push", "ask"),
    ("Bash(git push:*)", "", "Bash(git:*)", "git push", "ask"),
    ("Bash(git:*)", "", "Bash(git push:*)", "git commit", "yes"),
    ("Bash", "Bash(git push:*)", "Bash(git:*)", "git push", "no"),
    ("Bash", "Bash(git:*)", "Bash(git push:*)", "git push", "no"),
    ("Bash(make) & Bash(git:*)", "", "Bash(git push:*)", "make && git push", "ask"),
    ("Bash(make) & Bash(git:*)", "Bash(git push:*)", "Bash(make)", "make && git push", "no"),
    ("", "", "Bash", "ls", "ask"),
]


@each_row(("allow", "deny", "ask", "command", "expected"), ORDER)
def test_safe_b8_what_denies_comes_before_what_asks_and_that_before_what_allows(
    allow: str, deny: str, ask: str, command: str, expected: Expected
) -> None:
    assert decided(run(command), allow, deny, ask) == expected
    assert decided(run(command, is_read_only=True), allow, deny, ask) == expected


WRITES: list[tuple[str, str, str, PermissionMode, Expected]] = [
    ("Bash(make:*)", "", "out.txt", "ask", "ask"),
    ("Bash(make:*)", "", "out.txt", "accept-edits", "yes"),
    ("Bash(make:*) & Edit(out.txt)", "", "out.txt", "ask", "yes"),
    ("Bash(make:*) & Edit(*.txt)", "", "out.txt", "ask", "yes"),
    ("Bash(make:*) & Edit(*.md)", "", "out.txt", "ask", "ask"),
    ("Bash(make:*) & Edit", "", "out.txt", "ask", "yes"),
    ("Bash(make:*) & Read", "", "out.txt", "ask", "ask"),
    ("Bash(make:*)", "", "/etc/hosts", "accept-edits", "ask"),
    ("Bash(make:*)", "", ".git/hooks/x", "accept-edits", "ask"),
    ("Bash(make:*) & Edit", "", ".git/hooks/x", "accept-edits", "ask"),
    ("Bash(make:*) & Edit(.git/hooks/**)", "", ".git/hooks/x", "ask", "yes"),
    ("Bash", "", "out.txt", "ask", "yes"),
    ("Bash", "", "/etc/hosts", "ask", "yes"),
    ("Bash(make > /etc/hosts)", "", "/etc/hosts", "ask", "ask"),
    ("Bash(make > out.txt)", "", "out.txt", "ask", "yes"),
    ("Bash", "", ".bashrc", "ask", "ask"),
    ("Edit", "", "out.txt", "accept-edits", "ask"),
    ("Bash & Edit", "Edit(*.txt)", "out.txt", "ask", "no"),
    ("Bash & Edit", "Read(*.txt)", "out.txt", "ask", "no"),
    ("Bash & Edit", "Edit(*.md)", "out.txt", "ask", "yes"),
    ("", "Edit(*.txt)", "out.txt", "yolo", "no"),
]


@each_row(("allow", "deny", "target", "mode", "expected"), WRITES)
def test_safe_b8_an_output_redirection_is_an_edit_of_its_target(
    allow: str, deny: str, target: str, mode: PermissionMode, expected: Expected
) -> None:
    assert decided(run(f"make > {target}", writes=(target,)), allow, deny, mode=mode) == expected


def test_where_the_output_goes_counts_also_for_what_only_reads() -> None:
    asked = run("grep x y > out.txt", writes=("out.txt",), reads=("y",))
    assert decided(asked) == "ask"
    assert decided(asked, mode="accept-edits") == "yes"
    assert decided(asked, "Edit(out.txt)") == "yes"


READS: list[tuple[str, str, bool]] = [
    ("Read(.env)", ".env", True),
    ("Read(.env)", "deep/er/.env", True),
    ("Read(secret/)", "secret/key", True),
    ("Read(secret/**)", "secret/key", True),
    ("Read(/secret)", "secret/key", True),
    ("Read(//etc/shadow)", "/etc/shadow", True),
    ("Read(~/.ssh/**)", "/home/me/.ssh/id", True),
    ("Grep(*.pem)", "a.pem", True),
    ("Read(.env)", "env", False),
    ("Edit(.env)", ".env", False),
]


@each_row(("deny", "path", "is_denied"), READS)
@each_row("mode", ["ask", "yolo"])
def test_safe_b8_what_may_not_be_read_is_so_for_commands_too(
    mode: PermissionMode, deny: str, path: str, is_denied: bool
) -> None:
    for is_read_only in (True, False):
        asked = run(f"cat {path}", reads=(path,), is_read_only=is_read_only)
        assert (decided(asked, "Bash", deny, mode=mode) == "no") is is_denied
        if mode == "ask" and is_denied:
            assert decided(asked, "Bash", ask=deny) == "ask"


def test_safe_b8_a_link_is_denied_by_its_name_and_by_where_it_leads() -> None:
    linked = replace(run("cat link"), access=CommandAccess("cat link", reads=(place("secret/key", "link"),)))
    for rule in ("Read(link)", "Read(secret/**)"):
        assert decided(linked, "Bash", rule) == "no"


# What is known of a path, the rule, and what becomes of the command in each mode.
CHANGES: list[tuple[str, str, str, Expected, Expected]] = [
    # Known to be changed: denied everywhere.
    ("changes", "src/a", "Edit(src/**)", "no", "no"),
    ("changes", "src/a", "Read(src/**)", "no", "no"),
    ("changes", "src/a", "Edit(doc/**)", "yes", "yes"),
    ("uproots", "src", "Edit(src/**)", "no", "no"),
    ("uproots", ".", "Edit(src/a)", "no", "no"),
    ("uproots", "doc", "Edit(src/**)", "yes", "yes"),
    # Something in the folder is changed: all of it is kept, or a part of it.
    ("reworks", "src", "Edit(src/**)", "no", "no"),
    ("reworks", "src/a", "Edit(src/**)", "no", "no"),
    ("reworks", ".", "Edit(*)", "no", "no"),
    ("reworks", ".", "Edit(src/**)", "ask", "yes"),
    ("reworks", "src", "Edit(src/*.md)", "ask", "yes"),
    ("reworks", ".", "Edit(.env)", "yes", "yes"),
    ("reworks", "doc", "Edit(src/**)", "yes", "yes"),
    # Not known: asked, and run where nobody is asked.
    ("could_change", "src/a", "Edit(src/**)", "ask", "yes"),
    ("could_change", "src", "Edit(src/**)", "ask", "yes"),
    ("could_change", "src/a", "Edit(a)", "ask", "yes"),
    ("could_change", ".", "Edit(src/**)", "yes", "yes"),
    ("could_change", "doc/a", "Edit(src/**)", "yes", "yes"),
    # Only read: rules for changing say nothing.
    ("reads", "src/a", "Edit(src/**)", "yes", "yes"),
    # Found on the way through folders: denied where nobody is asked.
    ("comes_upon", "src/.env", "Read(.env)", "yes", "no"),
    ("comes_upon", "src/.env", "Edit(.env)", "yes", "yes"),
]


@each_row(("fact", "path", "rule", "asking", "unasked"), CHANGES)
def test_safe_b8_what_is_known_of_a_file_decides_what_a_rule_for_it_does(
    fact: str, path: str, rule: str, asking: Expected, unasked: Expected
) -> None:
    plain = run(f"x {path}")
    asked = replace(plain, access=replace(plain.access, **{fact: (place(path),)}))
    assert decided(asked, "Bash & Bash(x:*)", rule) == asking
    assert decided(asked, "Bash & Bash(x:*)", rule, mode="yolo") == unasked
    assert decided(asked, "Bash", ask=rule) == ("ask" if asking == "no" else asking)
    assert decided(asked, "Bash", ask=rule, mode="yolo") == "yes"


def test_safe_b8_more_names_than_can_be_looked_at_count_for_what_is_done_with_them() -> None:
    reading = run("cat *", may_name_anything=True)
    changing = run("rm *", may_name_anything=True, may_change_anything=True)
    assert [decided(each, "Bash", "Read(a)") for each in (reading, changing)] == ["no", "no"]
    assert [decided(each, "Bash", "Edit(a)") for each in (reading, changing)] == ["yes", "no"]
    deep = run("rm -r x", is_too_deep=True)
    assert [decided(deep, "Bash", "Edit(a)", mode=mode) for mode in ("ask", "yolo")] == ["ask", "yes"]


async def test_safe_b8_without_a_screen_what_could_be_changed_is_denied_and_never_offered_for_good() -> None:
    asked = run("pytest tests/a", could_change=(place("tests/a"),))
    book = RuleBook(ANCHORS, ["Bash(pytest:*)"])
    book.load("deny", ["Edit(tests/**)"], "config.toml")
    decision = await Gate(NobodyThere(), book).decide(asked)
    reason = "it could change tests/a, which the rule Edit(tests/**) (config.toml) denies"
    assert decision.reason.endswith(f"it is asked because {reason}")
    assert [(each.list, each.matched) for each in book.listed()] == [("deny", 1), ("allow", 0)]
    denying = RuleBook(ANCHORS, deny=["Edit(tests/**)"])
    assert denying.proposed(asked) == ()
    assert denying.proposed(run("pytest tests/a")) != ()


def test_without_a_rule_what_only_reads_runs_and_the_rest_is_asked_with_the_reason() -> None:
    assert decided(run("ls", is_read_only=True)) == "yes"
    asked = run("make", is_read_only=False, reason="make is not known to only read")
    assert decided(asked) == "ask"
    assert Gate(NobodyThere(), RuleBook(ANCHORS)).why_asked(asked) == "make is not known to only read"
    by_rule = Gate(NobodyThere(), RuleBook(ANCHORS, ask=["Bash(make)"])).why_asked(asked)
    assert by_rule == "the rule Bash(make) says so"


@each_row(
    ("command", "words"),
    [
        ("make test && rm a", "no rule allows rm a"),
        ("ls | make test; touch b", "no rule allows touch b"),
        ("ls | rm a", "make is unknown"),
        ("make test && $X", "make is unknown"),
        ("cd a && make test && rm a", "make is unknown"),
    ],
)
def test_where_rules_allow_some_of_it_the_reason_is_what_they_do_not(command: str, words: str) -> None:
    gate = Gate(NobodyThere(), RuleBook(ANCHORS, ["Bash(make:*)"]))
    assert gate.why_asked(run(command, reason="make is unknown")) == words


def test_plan_mode_runs_what_only_reads_and_says_why_not_the_rest() -> None:
    gate = Gate(NobodyThere(), RuleBook(ANCHORS, ["Bash"]), "plan")
    assert gate.settled(run("ls", is_read_only=True)) == Decision(True)
    refused = gate.settled(run("make", reason="make is unknown"))
    assert refused == Decision(False, f"{PLAN_REASON} (make is unknown)", denied_by="plan mode")


def test_what_leaves_the_sandbox_is_always_asked_but_in_yolo() -> None:
    asked = run("ls", is_read_only=True, leaves_sandbox=True)
    assert decided(asked, "Bash & Bash(ls) & Bash(ls:*)") == "ask"
    assert decided(asked, mode="plan") == "no"
    assert decided(asked, mode="yolo") == "yes"
    assert decided(asked, deny="Bash(ls)", mode="yolo") == "no"
    book = RuleBook(ANCHORS)
    assert Gate(NobodyThere(), book).why_asked(asked) == LEAVES_SANDBOX
    assert book.proposed(asked) == ()


def test_in_another_folder_only_what_only_reads_runs() -> None:
    assert decided(run("make", is_in_root=False), "Bash(make) & Bash(make:*)") == "ask"
    assert decided(run("make", is_in_root=False), "Bash") == "yes"
    assert decided(run("ls", is_in_root=False, is_read_only=True)) == "yes"
    assert decided(run("make", is_in_root=False), "Bash", "Bash(make:*)") == "no"


async def test_the_reason_is_told_where_nobody_is_there() -> None:
    gate = Gate(NobodyThere(), RuleBook(ANCHORS))
    decision = await gate.decide(run("make", reason="make is unknown"))
    assert decision.reason.endswith("; it is asked because make is unknown")


async def test_rules_know_how_often_they_decided_and_what() -> None:
    book = RuleBook(ANCHORS, ["Bash(make:*)", "Bash(npm:*)"], ["Bash(rm:*)"], ["Bash(git push:*)"])
    gate = Gate(NobodyThere(), book)
    for command in ("make a", "make b && npm x", "rm x", "git push", "sudo make"):
        await gate.decide(run(command))
    listed = [(each.list, each.text, each.matched, each.last) for each in book.listed()]
    assert listed == [
        ("deny", "Bash(rm:*)", 1, "rm x"),
        ("ask", "Bash(git push:*)", 1, "git push"),
        ("allow", "Bash(make:*)", 2, "make b && npm x"),
        ("allow", "Bash(npm:*)", 1, "make b && npm x"),
    ]


def test_a_pattern_of_many_stars_takes_no_time() -> None:
    many = "Bash(" + "*a" * 400 + "*b)"
    assert decided(run("x " + "a" * 9_000), "Bash", many) == "yes"
