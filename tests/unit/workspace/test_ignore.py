"""Our ignore rules against git itself, and against ripgrep where git has no say."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from code_assistant.workspace.ignore import MAXIMUM_RULE_FILE_BYTES, MAXIMUM_RULES
from code_assistant.workspace.ignored_paths import overlooked_filter
from code_assistant.workspace.ripgrep import find_ripgrep
from code_assistant.workspace.threads import StopFlag
from code_assistant.workspace.walk import Walk

PATHS = """
a.py
a.pyc
.env
.hidden/b.py
build/out.o
src/a.py
src/a.pyc
src/build/out.o
src/build.py
src/deep/er/a.log
src/deep/er/keep.log
src/deep/x.txt
src/tmp/1.txt
src/tmp/2.md
docs/_build/index.html
docs/index.md
docs/api/_build/x
foo/bar/baz.txt
foo/x/bar
foo/bar.txt
foobar
name with space.txt
trailing
#hash
!bang
weird[1].txt
weird1.txt
Über/ö.txt
UPPER.PY
node_modules/left/index.js
pkg/node_modules/x.js
""".strip().split("\n")

CASES: dict[str, dict[str, str]] = {
    "nothing": {},
    "name anywhere": {".gitignore": "a.py\n"},
    "suffix": {".gitignore": "*.pyc\n"},
    "folder only": {".gitignore": "build/\nnode_modules/\n"},
    "folder or file": {".gitignore": "build\nbuild.py\n"},
    "anchored": {".gitignore": "/build\n/a.py\n"},
    "path": {".gitignore": "docs/_build\nsrc/deep/er/*.log\n"},
    "any depth": {".gitignore": "**/_build/\n**/er/keep.log\n"},
    "below": {".gitignore": "src/**\n"},
    "inner stars": {".gitignore": "foo/**/bar\nsrc/**/a.log\n"},
    "one star does not cross": {".gitignore": "foo/*/baz.txt\nsrc/*.log\n"},
    "everything": {".gitignore": "*\n"},
    "everything but": {".gitignore": "*\n!*/\n!*.py\n"},
    "all but one in folder": {".gitignore": "src/tmp/*\n!src/tmp/2.md\n"},
    "negation": {".gitignore": "*.log\n!keep.log\n"},
    "negation in ignored folder is in vain": {".gitignore": "src/deep/\n!src/deep/er/keep.log\n"},
    "last rule wins": {".gitignore": "!a.py\na.py\n*.txt\n!x.txt\nx.txt\n"},
    "comments and blanks": {".gitignore": "# a.py\n\n   \n\\#hash\n\\!bang\n"},
    "spaces": {".gitignore": "name with space.txt\ntrailing   \n"},
    "classes": {".gitignore": "weird[0-9].txt\n[!a-z]*.PY\n"},
    "escaped": {".gitignore": "weird\\[1\\].txt\n"},
    "question mark": {".gitignore": "?.py\nsrc/tmp/?.*\n"},
    "other than ascii": {".gitignore": "ö.txt\n"},
    "windows line ends": {".gitignore": "*.pyc\r\nbuild/\r\n"},
    "byte order mark": {".gitignore": "\ufeffa.py\n*.log\n"},
    "case counts": {".gitignore": "upper.py\nA.PY\n"},
    "slash alone and broken class": {".gitignore": "/\n[a\n*.log\n"},
    "nested": {".gitignore": "*.log\n", "src/.gitignore": "!keep.log\n/a.py\ntmp/\n"},
    "nested anchored": {"src/.gitignore": "/deep\n", "foo/.gitignore": "bar/\n"},
    "nested undoes": {".gitignore": "*.txt\n", "src/.gitignore": "!*.txt\n", "src/tmp/.gitignore": "1.txt\n"},
    "exclude": {".git/info/exclude": "*.log\n/docs\n"},
    "exclude is weaker": {".git/info/exclude": "*.log\n", ".gitignore": "!keep.log\n"},
    "folders by star": {".gitignore": "*/\n!src/\n"},
    "double star slash": {".gitignore": "foo/**/\n"},
    "leading double star": {".gitignore": "**/tmp/*.txt\n"},
    "middle slash without anchor": {".gitignore": "deep/x.txt\nsrc/deep/x.txt\n"},
}


def build(root: Path, rules: dict[str, str], *, is_repository: bool = True) -> None:
    root.mkdir()
    if is_repository:
        subprocess.run(["git", "init", "-q", str(root)], check=True)
    for path in PATHS:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text("needle\n")
    for path, text in rules.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8", newline="")


def walked(root: Path) -> list[str]:
    return [str(Path(entry.path).relative_to(root)) for entry in Walk(StopFlag()).files(root)]


def listed_by_git(root: Path) -> list[str]:
    """Files git would add. Rules of the machine's user are switched off, ours know nothing of them."""
    command = ["git", "-c", "core.excludesFile=", "ls-files", "-z", "--others", "--exclude-standard"]
    output = subprocess.run(command, cwd=root, check=True, capture_output=True).stdout
    return sorted(output.decode().split("\0")[:-1], key=lambda path: path.split("/"))


def listed_by_ripgrep(root: Path, *options: str) -> list[str]:
    command = [
        str(find_ripgrep()),
        "--no-config",
        "--files",
        "--hidden",
        "--glob=!.git",
        "--no-ignore-global",
        "--null",
    ]
    output = subprocess.run([*command, *options, "./"], cwd=root, check=False, capture_output=True).stdout
    paths = [path.removeprefix("./") for path in output.decode().split("\0")[:-1]]
    return sorted(paths, key=lambda path: path.split("/"))


@pytest.mark.parametrize("rules", CASES.values(), ids=CASES.keys())
def test_the_walk_finds_what_git_would_add(tmp_path: Path, rules: dict[str, str]) -> None:
    root = tmp_path / "repository"
    build(root, rules)
    assert walked(root) == listed_by_git(root)


# ripgrep 14 takes the mark for a part of the first rule, git does not.
@pytest.mark.parametrize("case", [case for case in CASES if case != "byte order mark"])
def test_rules_hold_without_a_repository_as_in_ripgrep(tmp_path: Path, case: str) -> None:
    root = tmp_path / "folder"
    build(root, CASES[case], is_repository=False)
    assert walked(root) == listed_by_ripgrep(root, "--no-require-git")


@pytest.mark.parametrize(
    "rules",
    [
        {".ignore": "*.log\nbuild/\n"},
        {".ignore": "!a.pyc\n", ".gitignore": "*.pyc\n"},
        {".rgignore": "!*.pyc\n", ".ignore": "*.pyc\n"},
        {".ignore": "*.txt\n", "src/.gitignore": "!*.txt\n"},
        {".ignore": "*.txt\n", "src/.ignore": "!*.txt\n"},
    ],
)
def test_ignore_files_count_more_than_gitignore_as_in_ripgrep(tmp_path: Path, rules: dict[str, str]) -> None:
    root = tmp_path / "repository"
    build(root, rules)
    assert walked(root) == listed_by_ripgrep(root)


RULES_ABOVE = {
    ".gitignore": "*.log\nbuild/\nnode_modules/\n/src/deep/x.txt\nsrc/tmp/?.txt\n",
    "src/.gitignore": "!keep.log\n",
}


@pytest.mark.parametrize("below", ["src", "src/deep", "src/tmp"])
def test_rules_of_the_folders_above_hold_below(tmp_path: Path, below: str) -> None:
    root = tmp_path / "repository"
    build(root, RULES_ABOVE)
    assert walked(root / below) == listed_by_git(root / below)


@pytest.mark.parametrize("below", ["src", "src/deep", "src/tmp"])
def test_what_ripgrep_overlooks_of_the_folders_above_is_left_out(tmp_path: Path, below: str) -> None:
    root = tmp_path / "repository"
    build(root, RULES_ABOVE)
    is_kept = overlooked_filter(root / below)
    assert is_kept is not None
    assert [path for path in listed_by_ripgrep(root / below) if is_kept(path)] == listed_by_git(root / below)
    assert overlooked_filter(root) is None


@pytest.mark.parametrize("below", ["build", "pkg/node_modules", "src/build"])
def test_an_ignored_folder_that_is_named_is_looked_into(tmp_path: Path, below: str) -> None:
    root = tmp_path / "repository"
    build(root, RULES_ABOVE)
    assert walked(root / below) == listed_by_ripgrep(root / below) != []


def test_a_repository_in_a_repository_has_only_rules_of_its_own(tmp_path: Path) -> None:
    root = tmp_path / "repository"
    build(root, {".gitignore": "*.log\n"})
    build(root / "inner", {".gitignore": "*.pyc\n"})
    assert walked(root) == listed_by_ripgrep(root)
    assert "inner/src/deep/er/a.log" in walked(root)
    assert walked(root / "inner") == listed_by_git(root / "inner")


def test_the_git_folder_is_never_walked(tmp_path: Path) -> None:
    root = tmp_path / "repository"
    build(root, {})
    everything = [entry.path for entry in Walk(StopFlag(), include_ignored=True).files(root)]
    assert not [path for path in everything if "/.git/" in path]


def test_an_ignore_file_that_is_no_file_is_no_rule_and_no_hang(tmp_path: Path) -> None:
    root = tmp_path / "repository"
    build(root, {})
    os.mkfifo(root / ".gitignore")
    (root / "src" / ".gitignore").mkdir()
    (root / "docs" / ".gitignore").symlink_to("/dev/zero")
    assert "a.pyc" in walked(root)


ODD_NAMES = [
    "a",
    "b",
    "d",
    "]",
    "[x",
    "ax",
    "a ",
    "a  ",
    "*",
    "*b",
    "\\",
    "-",
    "5",
    "!a",
    "a?b",
    "a\nb",
    "&&",
    "~",
    "^",
]
ODD_RULES = [
    "[[a]x",
    "[]a]",
    "[!]a]",
    "[!a-c]*",
    "[^a-c]",
    "[a-c-]",
    "[--0]",
    "[.-0]*",
    "[&&~~||]*",
    r"[\]]",
    r"[a\-z]",
    "[[:digit:]]",
    "[![:alpha:]]",
    "[[:nothing:]]",
    "[",
    "a[",
    "*[!",
    r"\*",
    r"\*\b",
    r"a\?b",
    r"a\ ",
    r"a\  ",
    r"a\\ ",
    "a ",
    "\\",
    "\\\\",
    "a\\",
    r"\!a",
    "!!a",
    "!",
    "!/",
    "a?b",
    "a[!x]b",
    "**",
    "**/",
    "/**",
    "/**/",
    "***/a",
    "**/*",
    "in/**/a",
    "in/**/in/**/a",
    "**/in/**/in/**",
    "**/in/**/in/**/",
    "in/**/**/b",
    "in/**/**",
    "in/*/",
    "in/*",
    "*/*/a",
    "in//a",
    "//in",
    "in//",
    "in[/]a",
    r"in\/a",
    "i*n/**",
    "*?",
    "?*",
    "*a*",
    "*i*n*",
]


@pytest.fixture(scope="module")
def odd_repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("odd")
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    for folder in ("", "in", "in/in", "in/on/in", "in/on/in/on", "on"):
        (root / folder).mkdir(exist_ok=True, parents=True)
        for name in ODD_NAMES:
            (root / folder / name).write_text("needle\n")
    return root


@pytest.mark.parametrize("rule", ODD_RULES)
def test_odd_rules_mean_what_they_mean_to_git(odd_repository: Path, rule: str) -> None:
    (odd_repository / ".gitignore").write_text(f"{rule}\n")
    assert walked(odd_repository) == listed_by_git(odd_repository)


@pytest.mark.parametrize("rule", ["[z-a]", "[!z-a]*", "x/[b-a]/**", "a" * 5000, "[" * 4000, "*[[:" * 1000])
def test_a_rule_that_cannot_be_understood_leaves_the_others_in_force(tmp_path: Path, rule: str) -> None:
    root = tmp_path / "repository"
    build(root, {".gitignore": f"*.pyc\n{rule}\n*.log\n"})
    expected = walked(root)
    (root / ".gitignore").write_text("*.pyc\n*.log\n")
    assert walked(root) == expected


@pytest.mark.timeout(60)
@pytest.mark.parametrize("rule", ["*a*a*a*a*a*a*b", "*a" * 100 + "*b", "?*" * 50 + "b", "/" + "*[a-c]" * 30 + "b"])
def test_rules_of_many_stars_do_not_hang(tmp_path: Path, rule: str) -> None:
    (tmp_path / ".gitignore").write_text(f"{rule}\n")
    (tmp_path / ("a" * 250)).touch()
    (tmp_path / ("a" * 249 + "b")).touch()
    assert walked(tmp_path) == [".gitignore", "a" * 250]


@pytest.mark.timeout(60)
def test_rules_of_many_double_stars_do_not_hang(tmp_path: Path) -> None:
    deep = tmp_path / "/".join("a" * 200)
    deep.mkdir(parents=True)
    (deep / "b").touch()
    (deep / "c").touch()
    (tmp_path / ".gitignore").write_text("a/**/" * 30 + "x\n" + "**/a/*/" * 30 + "y\n" + "**/a/a/" * 30 + "b\n")
    assert walked(tmp_path) == [".gitignore", str((deep / "c").relative_to(tmp_path))]


def test_rules_beyond_the_bounds_are_not_used(tmp_path: Path) -> None:
    for name in ("kept", "first", "last"):
        (tmp_path / name).touch()
    (tmp_path / ".gitignore").write_text("first\n# no rule\n" + "x\n" * (MAXIMUM_RULES - 2) + "last\nkept\n")
    assert walked(tmp_path) == [".gitignore", "kept"]


def test_a_rule_that_is_cut_off_is_not_used(tmp_path: Path) -> None:
    (tmp_path / "kept").touch()
    (tmp_path / "first").touch()
    head = "first\n#"
    comment = "#" * (MAXIMUM_RULE_FILE_BYTES - len(head) - 2)
    (tmp_path / ".gitignore").write_text(f"{head}{comment}\n*.never\n")
    assert walked(tmp_path) == [".gitignore", "kept"]
