"""Commands that must run unasked, and the folder that they can all be run in."""

from __future__ import annotations

import os
import stat
import subprocess
from pathlib import Path

COMMANDS = r"""
ls
ls -la
ls -lah src
ls -1 src docs
ls -R src
ls -lt --color=never
ls --group-directories-first -a
ls -d src
ls *.md
ls -l *.md src/*.py
ls ./*
ls -- *.md
cat README.md
cat README.md src/a.py
cat -n src/a.py
cat -A README.md
cat 'a file.txt'
cat "a file.txt"
cat a\ file.txt
cat src/*.py
head README.md
head -5 README.md
head -n 5 README.md
head -n5 README.md src/a.py
head -c 100 README.md
head --lines=3 README.md
head -n -2 README.md
tail README.md
tail -3 README.md
tail -n 3 README.md
tail -n +2 README.md
wc README.md
wc -l README.md src/a.py
wc -l src/*.py
wc -lw < README.md
sort numbers.txt
sort -n numbers.txt
sort -rn numbers.txt
sort -u numbers.txt
sort -k2,2 -t, table.csv
sort -t ',' -k 1 table.csv
uniq numbers.txt
uniq -c numbers.txt
cut -d, -f1 table.csv
cut -d ',' -f 1,2 table.csv
cut -c1-5 README.md
tr a-z A-Z < README.md
nl README.md
nl -ba src/a.py
tac README.md
rev README.md
paste numbers.txt table.csv
comm numbers.txt numbers.txt
seq 5
seq 1 2 10
grep def src/a.py
grep -n def src/a.py
grep -rn def src
grep -rn "def " --include='*.py' .
grep -rn def --include=*.py .
grep -E 'a|b' README.md
grep -c def src/a.py src/b.py
grep -i -A2 -B2 readme README.md
grep -rl def .
grep -v '^$' README.md
grep -q readme README.md
grep -F 'a.b' README.md
grep -E 'o{1,2}' README.md
grep -E "a{1,}" README.md
grep -o 'def [a-z]*' src/a.py
grep "a$" README.md
grep -e a -e b README.md
grep -n def src/*.py
egrep 'a|b' README.md
fgrep a.b README.md
rg def
rg -n def src
rg -l def -g '*.py'
rg --files
rg -t py def
rg -g '*.{ts,tsx}' def
rg -g "*.{py,md}" def
rg -i -C 2 readme .
rg -F 'a.b' README.md
rg --hidden --no-ignore def src
rg 'a|b' -o
find .
find . -name '*.py'
find . -name "*.py" -type f
find src -maxdepth 1 -type d
find . -type f -not -path './.git/*'
find . \( -name '*.py' -o -name '*.md' \) -print
find . -name '*.py' -newer README.md
find . -size +1k -mtime -5
find . -type f -printf '%p %s\n'
find . -empty
find . ! -name '*.py' -prune
file README.md
file -b src/a.py
file *
file src/*
file --mime-type README.md
stat README.md
stat -c %s README.md
stat --format='%n %s' README.md
du -sh .
du -h --max-depth=1
du -a src
du --time --time-style=iso src
df -h
df .
pwd
pwd -P
echo hello
echo "hello world"
echo -e 'a\tb'
echo 'it costs $5'
echo '{"a": 1, "b": 2}'
echo \{a,b} {} '{1..3}'
echo "a 'b' c"
echo *
printf '%s\n' a b
printf 'a\n'
which ls
which -a bash
command -v git
type ls
basename src/a.py
basename -s .py src/a.py
dirname src/a.py
realpath src/a.py
realpath --relative-to=src README.md
readlink link.md
readlink -f link.md
diff src/a.py src/b.py
diff -u src/a.py src/b.py
diff -q README.md README.md
diff --color=always --palette=ad=1 README.md README.md
diff -- README.md src/a.py
diff -y --width=80 src/a.py src/b.py
cmp README.md README.md
cmp -s src/a.py src/b.py
md5sum README.md
sha1sum README.md
sha256sum README.md src/a.py
cksum README.md
od -c README.md
od -A x -t x1 README.md
jq . data.json
jq -r .name data.json
jq '.list[] | select(.a > 1)' data.json
jq -c '.list' data.json
jq --arg x 1 '.list[] | select(.a == ($x | tonumber))' data.json
jq 'keys' data.json
jq '{name, list}' data.json
jq -c '.list[] | {a, b: .a}' data.json
cat data.json | jq -r '.name'
sed -n '1,3p' README.md
sed -n 2p README.md
sed -n '2,$p' README.md
sed -n '1p;3p' README.md
date
date +%F
date '+%Y-%m-%d %H:%M'
date -u
date -d '2020-01-01' +%s
date -Iseconds
uname
uname -a
hostname
whoami
id
id -u
nproc
true
false
test -f README.md
test -d src
[ -f README.md ]
[ -d src ] && echo yes
[ ! -e missing ] && echo no
[ "a" = "b" ] || echo differs
test README.md -nt src/a.py
cd src
cd src && ls
cd src && cat a.py
cd src && grep -n def a.py | head -3
ls && cd src && ls -la
cd src; ls
cd src && cat a.py; pwd
cd src; cat a.py | head -3; ls deep
cd src && cd deep && cat c.py
git status
git status -s
git status -sb
git status --short --branch
git status --porcelain
git status --porcelain=v2
git status -uno
git --no-pager log
git log
git log --oneline
git log --oneline -5
git log -5
git log -n 5 --stat
git log -p -1
git log --oneline --graph --all --decorate
git log --format='%h %s'
git log --pretty=format:'%h %an %s' -3
git log --pretty=oneline
git log --format='%h {%s, %an}'
git log --since='2 weeks ago' --author=Me
git log --follow -- src/a.py
git log -S def -- src
git log -L 1,2:src/a.py
git log -L1,1:src/a.py -1
git log --diff-merges=first-parent -1
git log --word-diff-regex=. -p -1
git log HEAD~1..HEAD
git log main
git diff
git diff HEAD
git diff HEAD~1
git diff HEAD^ HEAD
git diff --stat
git diff --cached
git diff --staged --name-only
git diff main -- src/a.py
git diff HEAD~1..HEAD --numstat
git diff -U5 src/a.py
git diff -w --word-diff
git show
git show HEAD
git show HEAD:src/a.py
git show --stat HEAD
git show HEAD~1 -- README.md
git blame src/a.py
git blame -L 1,2 src/a.py
git blame -w HEAD -- src/a.py
git branch
git branch -a
git branch -vv
git branch --show-current
git branch --list
git branch --list 'm*'
git branch --merged
git branch --contains HEAD
git branch --points-at HEAD
git branch --sort=-committerdate
git remote
git remote -v
git remote get-url origin
git rev-parse HEAD
git rev-parse --abbrev-ref HEAD
git rev-parse --show-toplevel
git rev-parse --short HEAD
git ls-files
git ls-files src
git ls-files -m -o --exclude-standard
git ls-tree HEAD
git ls-tree -r --name-only HEAD
git grep def
git grep -n def -- src
git grep -i -e readme
git describe --always
git describe --tags --always
git shortlog -sn HEAD
git stash list
git tag
git tag -l 'v*'
git reflog
git merge-base HEAD HEAD~1
git rev-list --count HEAD
git cat-file -p HEAD
git worktree list
git --version
python3 --version
python3 -V
node --version
node -v
bash --version
ls | head
ls -la | grep md | wc -l
cat README.md | sort | uniq -c | sort -rn | head -5
grep -rn def src | cut -d: -f1 | sort -u
find . -name '*.py' | wc -l
find . -name '*.py' | sort | head -20
git log --oneline | head -3
git diff --stat | tail -1
git status && git log --oneline -1
ls; pwd; whoami
ls missing 2>/dev/null
ls missing 2>&1
ls missing 2>/dev/null || echo missing
ls >/dev/null && echo yes
ls &>/dev/null
ls > /dev/null 2>&1
grep -r def . 2>/dev/null | head
cat README.md # the first thing to read
timeout 5 ls
timeout 0.5s ls
timeout -s KILL -k 1 5 ls *.md
timeout --signal=TERM 5 ls
time ls
nice -n 5 ls
timeout 10 grep -rn def . | head -3
stdbuf -oL cat README.md
stdbuf -o 0 -e L cat README.md
ls a=b
cat < README.md
"""
LONGER = (
    "ls\npwd",
    "ls &&\n  pwd",
    "ls |\n  head",
    "cd src\nls",
    "# what is here\nls\n\n# and where\npwd\n",
    "grep -rn \\\n  def \\\n  src",
    "echo 'two\nlines'",
    'echo "a\\\nb"',
    "\tls",
    "ls ;",
    "echo ünïcödé",
    "cat 'ünïcödé à.txt'",
)


def everyday_commands() -> list[str]:
    return [*COMMANDS.strip("\n").split("\n"), *LONGER]


def build_workspace(folder: Path) -> None:
    """Files, folders, links and a repository with a history, an index and changes that are not committed."""
    files = {
        "README.md": "readme\na.b\ncosta\n\nmore\n",
        "a file.txt": "text\n",
        "ünïcödé à.txt": "text\n",
        "numbers.txt": "1 a\n2 b\n2 b\n3 c\n",
        "table.csv": "b,2\na,1\n",
        "data.json": '{"name": "x", "list": [{"a": 1}, {"a": 2}]}\n',
        "src/a.py": "def one():\n    return 1\n",
        "src/b.py": "def two():\n    return 2\n",
        "src/deep/c.py": "c = 1\n",
        "docs/guide.md": "guide\n",
    }
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    os.symlink("README.md", folder / "link.md")
    os.symlink("missing", folder / "nowhere")
    _git(folder, "init", "--quiet", "--initial-branch=main")
    _git(folder, "add", ".")
    _git(folder, "commit", "--quiet", "--message=first")
    _git(folder, "remote", "add", "origin", "https://example.invalid/x.git")
    (folder / "src/b.py").write_text("def two():\n    return 3\n")
    _git(folder, "add", ".")
    _git(folder, "commit", "--quiet", "--message=second")
    _git(folder, "tag", "v1")
    (folder / "src/a.py").write_text("def one():\n    return 10\n")
    _git(folder, "stash", "--quiet")
    (folder / "src/a.py").write_text("def one():\n    return 11\n")
    _git(folder, "add", "src/a.py")
    (folder / "src/a.py").write_text("def one():\n    return 12\n")
    (folder / "new.py").write_text("new = 1\n")
    # The index remembers another time than the file has, which is when git would like to write it again.
    os.utime(folder / "README.md", (1_600_000_000, 1_600_000_000))


def state_of(folder: Path) -> dict[str, tuple[int, int, bytes | str]]:
    """Everything below a folder: modes, times and contents."""
    found: dict[str, tuple[int, int, bytes | str]] = {}
    for path in sorted(folder.rglob("*")):
        status = path.lstat()
        if stat.S_ISLNK(status.st_mode):
            content: bytes | str = os.readlink(path)
        else:
            content = path.read_bytes() if stat.S_ISREG(status.st_mode) else b""
        found[str(path.relative_to(folder))] = (status.st_mode, status.st_mtime_ns, content)
    return found


def _git(folder: Path, *arguments: str) -> None:
    settings = ("-c", "user.name=Me", "-c", "user.email=me@example.invalid", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *settings, *arguments], cwd=folder, check=True, capture_output=True)
