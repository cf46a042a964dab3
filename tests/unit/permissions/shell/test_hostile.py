"""What must never run unasked (B1 to B4): a table per thing that is tried."""

from __future__ import annotations

from code_assistant.permissions.shell.analysing import analyse
from code_assistant.permissions.shell.judging import MOST_PARTS
from tests.rows import each_row
from tests.unit.permissions.shell.hostile import hostile_commands
from tests.unit.permissions.shell.support import Files, verdict


@each_row("category, command", hostile_commands(), ids=lambda row: f"{row[0]}: {row[1][:60]!r}")
def test_safe_b1_hostile_commands_are_not_proved(category: str, command: str) -> None:
    judged = verdict(command)
    assert not judged.is_read_only
    assert judged.reason, "a person is told why"
    assert not judged.paths


def test_safe_b1_the_tables_are_large_and_without_repetition() -> None:
    commands = [command for _, command in hostile_commands()]
    assert len(commands) >= 800
    assert len(set(commands)) == len(commands)


@each_row(
    "command, reason",
    [
        ("ls $(rm a)", "it holds a variable or a substitution"),
        ("ls &", "a part of it runs in the background"),
        ("ls |& cat", "it holds the operator |&"),
        ("PATH=. ls", "it sets PATH for the command"),
        ("if true; then ls; fi", "it holds control flow (if)"),
        ("ls\r\npwd", "it holds characters that cannot be seen"),
        ("cat <<E\na\nE", "it holds text for a program (<<)"),
        ("sudo ls", "sudo starts another program"),
        ("bash -c ls", "bash runs whatever it is given"),
        ("; ".join(["ls"] * 51), "it has more than 50 parts"),
        ("ls " + "a" * 10_000, "it has more than 10,000 characters"),
        ("cat < /dev/tcp/a/80", "a redirection in it leads to the network"),
        ("/bin/r?", "it is known only when it runs which program that is"),
        # tree-sitter cannot parse this, though bash can.
        ("ls a=b ==", "it can be read in more than one way"),
        ("npx " * 200 + "a; sudo ls", "sudo starts another program"),
        ("test -v 'a[$(rm b)]'", "test evaluates the name of a variable"),
        ("[ a -eq 'a[$(rm b)]' ]", "[ evaluates the name of a variable"),
        ("time test -R a", "test evaluates the name of a variable"),
        ("test {-v,a}", "test evaluates the name of a variable"),
        ("printf -v 'a[$(rm b)]' c", "printf stores in a variable, whose name it evaluates"),
        ("printf -- '%s%n' a 'x[$(rm a)]'", "printf stores in a variable, whose name it evaluates"),
        ("printf {-v,a}", "printf stores in a variable, whose name it evaluates"),
        ("wait -p 'a[$(rm b)]'", "wait stores in a variable, whose name it evaluates"),
        ("let 'a[$(rm b)]'", "let evaluates what it is given"),
        ("read 'a[$(rm b)]'", "read evaluates what it is given"),
        ("mapfile -C 'rm b' a", "mapfile evaluates what it is given"),
        ("'unset' 'a[$(rm b)]'", "unset evaluates what it is given"),
        ("\\declare -i a=b", "declare evaluates what it is given"),
        ("f() { ls; }", "a part of it runs in a shell of its own, or it defines a function"),
    ],
)
def test_safe_b2_what_is_no_plain_list_has_an_obstacle_in_words(command: str, reason: str) -> None:
    assert analyse(command).obstacle == reason


@each_row(
    "command, reason",
    [
        ("sort -uo a b", "sort is given -o, which writes a file"),
        ("sort --comp=./x a", "sort starts another program"),
        ("ls --unheard", "ls is given --unheard, which is not known"),
        ("uniq a b", "uniq is given 2 operands, which is not known to only read"),
        ("tail -f a", "tail is given -f, which never ends"),
        ("find . -delete", "find is given -delete, which deletes files"),
        ("git diff --output=a", "git diff is given --output, which writes a file"),
        ("git branch a", "git branch is given a, which may change something"),
        ("git push", "it is not known that git push only reads"),
        ("rm a", "it is not known that rm only reads"),
        ("ls > a", "it writes to a"),
        ("./ls", "./ls is not a program of the system"),
        ("cd a && git status", "git runs after cd, in a folder that was not looked at"),
        ("ls ~", "what ~ stands for is known only when it runs"),
        ("printf -- -v a", "printf is given --, which can do more than read"),
        ("git stash list -- --output=a", "git stash list is given --output=a after --, which may still be an option"),
        ("git log -L -- a", "git log is given -L before --, which may be an option"),
        ("git log --diff-merges=r", "git log is given --diff-merges with r, which can do more than read"),
        ("", "there is nothing in it to run"),
    ],
)
def test_safe_b3_what_is_not_known_is_named(command: str, reason: str) -> None:
    assert verdict(command).reason == reason


@each_row(
    "command",
    [
        *("ls {'a',b}", "ls {a','b,c}", 'cat {"a",/etc/passwd}', "cat '{'{a,b}", "cat \\{{a,b}", "cat {'{,}',a}"),
        *("cat a{1..3}'{'", "cat ''{a,b}", "cat {,''}"),
    ],
)
def test_safe_b1_quotes_beside_braces_do_not_hide_them(command: str) -> None:
    judged = verdict(command)
    assert not judged.is_read_only
    assert "stands for is known only when it runs" in judged.reason


class Nothing:
    def is_of_system(self, name: str) -> bool:
        return False


def test_safe_b4_without_the_program_in_the_system_only_the_shell_itself_is_left() -> None:
    from code_assistant.permissions.shell.judging import judge

    for command in ("ls", "git status", "timeout 5 ls", "python --version", "timeout 5 echo a", "/bin/echo a"):
        assert not judge(analyse(command), Nothing(), Files()).is_read_only, command
    for command in ("pwd", "echo a", "cd a", "true", "[ -f a ]", "printf a", "time echo a"):
        assert judge(analyse(command), Nothing(), Files()).is_read_only, command


@each_row(
    "command, paths",
    [
        ("cat a 'b c' | head", ("a", "b c")),
        ("cat < a", ("a",)),
        ("cat -- a", ("a",)),
        ("cat ./-a", ("./-a",)),
        ("cat -", ()),
        ("grep a b c", ("b", "c")),
        ("grep -e a b", ("b",)),
        ("grep -f a b", ("a", "b")),
        ("grep -fa b", ("a", "b")),
        ("grep --file=a b", ("a", "b")),
        ("grep -r a", (".",)),
        ("rg a", (".",)),
        ("rg -f a b", ("a", "b")),
        ("rg --files a", ("a",)),
        ("find a b -name c -newer d", ("a", "b", "d")),
        ("find", (".",)),
        ("fd a b", ("b",)),
        ("fd --search-path a b", ("a", ".")),
        ("jq . a", ("a",)),
        ("jq --slurpfile x a . b", ("a", "b")),
        ("sed -n 1p a", ("a",)),
        ("date -r a", ("a",)),
        ("diff a b", ("a", "b")),
        ("cd a && cat b", ("a", "a/b")),
        ("cd a && cd b && cat c", ("a", "a/b", "a/b/c")),
        ("cd a && cat /b", ("a", "/b")),
        ("cd a; cat b", ("a", "b", "a/b")),
        ("cd a\ncat b /c", ("a", "b", "a/b", "/c")),
        ("cd a; cd b && cat c", ("a", "b", "a/b", "b/c", "a/b/c")),
        ("cd a && cd b; cat c", ("a", "a/b", "c", "a/c", "a/b/c")),
        ("cat c; cd a && cat b", ("c", "a", "a/b")),
        ("cat '{a,b}' \\{c,d}", ("{a,b}", "{c,d}")),
        ("git show HEAD:.env", ("HEAD:.env", ".env")),
        ("git diff HEAD -- a", ("HEAD", "a")),
        ("git grep a b", ("b",)),
        ("echo a", ()),
        ("tr a b", ()),
        ("cat a; cat b; cat a", ("a", "b")),
    ],
)
def test_safe_b3_whatever_is_read_is_told(command: str, paths: tuple[str, ...]) -> None:
    judged = verdict(command)
    assert judged.is_read_only, judged.reason
    assert judged.paths == paths


@each_row(
    "command, paths",
    [
        ("ls a b", ("a", "b")),
        ("realpath --relative-to=a b", ("a", "b")),
        ("readlink -f a", ("a",)),
        ("stat -c %s a", ("a",)),
        ("[ -f a ] && test b -nt c", ("a", "c", "b")),
        ("test -a /a", ("/a",)),
        ("[ ! -a /a ]", ("/a",)),
        ("cd a && test -f b", ("a/b",)),
        ("git status a", ("a",)),
        ("git log --oneline HEAD -- a", ("HEAD", "a")),
        ("git check-ignore a", ("a",)),
    ],
)
def test_safe_b3_whatever_is_only_looked_at_is_told(command: str, paths: tuple[str, ...]) -> None:
    judged = verdict(command)
    assert judged.is_read_only, judged.reason
    assert judged.looked_at == paths


def test_safe_b3_a_folder_that_is_listed_is_read() -> None:
    folders = Files(folders=(".", "a", "a/b/."))
    assert verdict("ls a c", folders).paths == ("a",)
    assert verdict("ls; ls a; ls", folders).paths == (".", "a")
    assert verdict("cd a && cd b && ls", folders).paths == ("a", "a/b", "a/b/.")


@each_row(
    "command, walks, uses_git",
    [
        ("ls", False, False),
        ("ls -R", True, False),
        ("cat a", False, False),
        ("grep a b", False, False),
        ("grep -r a", True, False),
        ("grep -d recurse a b", True, False),
        ("rg a", True, False),
        ("find a", True, False),
        ("du a", True, False),
        ("git status", True, True),
        ("ls; git log | head", True, True),
    ],
)
def test_safe_b5_it_is_told_when_folders_are_walked_and_when_git_runs(
    command: str, walks: bool, uses_git: bool
) -> None:
    judged = verdict(command)
    assert (judged.walks, judged.uses_git) == (walks, uses_git)


@each_row(
    "command, names, is_proved",
    [
        ("ls *.py", ("a.py",), True),
        ("ls *.py", ("a.py", "-x.py"), False),
        ("ls -- *.py", ("a.py",), True),
        ("cat a*", ("ab",), True),
        ("sort *.py", ("a.py",), False),
        ("sort ./*.py", ("./a.py",), True),
        ("sort -- *.py", ("a.py",), True),
        ("sort a*", ("ab",), True),
        ("grep -r a --include=*.py .", (), True),
        ("grep -r a --include=*.py .", ("--include=a.py",), False),
        ("find . -name *.py", ("a.py",), False),
        ("uniq a*", ("ab", "ac"), False),
        ("grep a b*", ("bc", "bd"), True),
        ("grep -e a b*", ("bc", "bd"), True),
        # Which of the names comes first depends on the language, and whether there is any on the shell.
        ("grep -v */x", ("a/x", "b/x"), False),
        ("grep -v -e */x", ("a/x", "b/x"), False),
        ("tac -s */x", ("a/x", "b/x"), False),
        ("tac -s */x c", (), True),
        ("jq -n .g*'|env'", (".gitignore|env",), False),
        ("jq -n .g*'|env'", (), False),
        ("jq . a*", ("ab",), True),
        ("tail a -- *", ("+5",), False),
        ("tail a*", ("ab",), True),
        ("git diff a*", ("ab",), True),
        ("git di*", ("diff",), False),
        ("git remote g*", ("get-url",), False),
        ("git log -n *", ("1", "2"), False),
        ("find a* -newer b", ("ab",), True),
        ("find a -newer b*", ("bc", "bd"), False),
    ],
)
def test_safe_b3_globs_are_looked_up_and_never_become_options(
    command: str, names: tuple[str, ...], is_proved: bool
) -> None:
    assert verdict(command, Files(*names)).is_read_only is is_proved


def test_safe_p1_whatever_a_glob_may_become_is_read_wherever_it_stands() -> None:
    assert set(verdict("test -e a*", Files("ab", "ac")).looked_at) == {"a*", "ab", "ac"}
    assert verdict("echo a*", Files("ab", "ac")).paths == (), "nothing of them is opened"
    assert set(verdict("cat a*", Files("ab")).paths) == {"a*", "ab"}
    assert verdict("echo a*", Files()).paths == ()


def test_safe_b1_files_that_lie_deep_are_read_only_so_many() -> None:
    deep = [f"a/{'x/' * 200}{number}" for number in range(MOST_PARTS // 200)]
    assert verdict("cat a*", Files(*deep[:20])).is_read_only
    assert "too deep" in verdict("cat a*", Files(*deep)).reason


def test_safe_b3_folders_whose_links_would_be_followed_are_not_compared() -> None:
    assert verdict("diff a b", Files()).is_read_only
    assert not verdict("diff a b", Files(folders=("b",))).is_read_only
    assert not verdict("cd a && diff b c", Files(folders=("a/c",))).is_read_only
    for folder in ("c", "a/c"):
        assert not verdict("cd a; diff b c", Files(folders=(folder,))).is_read_only
