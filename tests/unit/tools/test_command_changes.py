"""What commands do to files that rules keep: known to change them, or to read them, or not known at all."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from code_assistant.events import MAIN
from code_assistant.permissions.access import CommandAccess, ToolAccess
from code_assistant.permissions.approver import Decision, PermissionRequest
from code_assistant.permissions.modes import PermissionMode
from code_assistant.tools.command_proof import Prover
from code_assistant.tools.command_words import WordPlaces
from code_assistant.tools.kept_files import KeptFiles
from tests.rows import each_row
from tests.unit.tools.support import Bench, RecordingPerson


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home, root = tmp_path / "home", tmp_path / "work"
    home.mkdir()
    root.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.chdir(root)
    for name in ("kept/a", "src/a", "src/kept/a", "src/deep/.env", "new/.env", "plain/a", "~/secret", "linked/b"):
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("KEY\n")
    (root / "linked/a").symlink_to("../kept/a")
    (root / "first").symlink_to("second")
    (root / "second").symlink_to("plain/a")
    return root


def settled(
    command: str,
    deny: Sequence[str] = (),
    ask: Sequence[str] = (),
    mode: PermissionMode = "ask",
    allow: Sequence[str] = ("Bash",),
) -> tuple[Decision | None, str]:
    """What the gate says of a command in the current folder, and why somebody is asked."""
    bench = Bench(Path.cwd(), RecordingPerson(), mode=mode, allow=tuple(allow), deny=tuple(deny), ask=tuple(ask))
    request = PermissionRequest(MAIN, "call", "execute_command", ToolAccess(), "run it")
    proof = asyncio.run(Prover(command, bench.root, bench.context, request).prove())
    request = replace(request, access=proof.access)
    gate = bench.services.gate
    assert isinstance(request.access, CommandAccess)
    return gate.settled(request), gate.why_asked(request)


def decided(command: str, deny: Sequence[str] = (), ask: Sequence[str] = (), mode: PermissionMode = "ask") -> str:
    decision, _ = settled(command, deny, ask, mode)
    return "ask" if decision is None else "yes" if decision.allowed else "no"


KNOWN_TO_CHANGE = r"""
echo x > kept/a
echo ${x:-`echo x > kept/a`}
if test -v 'x[$(echo x > kept/a)]'; then :; fi
make >> kept/a 2>&1
rm kept/a
rm -rf kept
rm -rf .
rm {1..999}
rmdir kept/sub
unlink kept/a
shred kept/a
touch kept/new
tee kept/a
make | tee -a kept/a
truncate -s0 kept/a
mkdir -p kept/sub
mkfifo kept/pipe
dos2unix kept/a
mv kept/a x
mv kept x
mv src/a kept
mv src/a kept/
mv src/kept .
mv -t kept src/a
mv src/a -t kept
cp src/a kept/a
cp src/a kept
cp src/a src/* kept/
cp -r src/kept .
cp -r src/. .
cp -rT src .
cp -t kept src/a
cp -atkept src/a
cp --target-directory=kept src/a
cp --target-directory kept src/a
cp src/a kept/a --suffix x
cp src/a linked
cp {src/a,kept/a}
cp -St src/a kept/a
cp -S -t src/a kept/a
mv -t plain kept/a
mv -t plain kept
cp {src/a,linked}
cp -- -a kept
install -m 644 src/a kept/a
install src/a kept -m 644
install -d kept/x plain
scp host:a kept
ln -s ../src/a kept/a
ln kept/a x
cd kept && ln -s ../src/a
rsync -a src/ kept
rsync -a src/ .
dd if=src/a of=kept/a
chmod +x kept/a
chmod -R 700 .
chown -R me kept
chgrp me kept/a
setfacl -m u:x:r kept/a
patch kept/a x.diff
patch -d kept -i ../x.diff
sponge kept/a
gzip kept/a
gunzip -f kept/a.gz
sed -i s/a/b/ kept/a
sed -ni.bak p kept/a
sed --in-place=.bak s/a/b/ kept/a
perl -pi -e s/a/b/ kept/a
ruby -i.bak -pe x kept/a
sed -bi s/a/b/ kept/a
sed --i s/a/b/ kept/a
sed --in-place=x s/a/b/ kept/a
perl -0777pi -e x kept/a
perl -0x1Fpi -e x kept/a
gzip -f kept/a -- -k
black kept/a -- --diff
echo x 1<> kept/a
echo x <>kept/a
rsync --remove-source-files kept/a x
rsync -a --delete plain/ .
rsync --log-file=kept/a src/a x
rsync --log-file kept/a src/a x
sort -o kept/a src/a
sort src/a -uokept/a
sort --outp=kept/a src/a
curl -o kept/a example.org
curl -sSLo kept/a example.org
curl example.org --output kept/a
wget -O kept/a example.org
wget -P kept example.org
wget -qO kept/a example.org
git checkout kept/a
git checkout main -- kept
git -C . restore kept/a
git rm -r kept
git mv kept/a x
git mv src/a kept
git apply --directory=kept x.patch
git clean -fd kept
git clean -fdx
git clean -fdx -en
git clean -f -e n -dx
git clean -fdx -e src
git reset kept/a
find kept -delete
find . -name a -delete
find -delete
find kept -name '*' -exec rm {} +
find . -delete -name '*.pyc'
find . -type f -delete
find . '-delete'
find "-L" . \-delete
find . \( -name kept -o -name x \) -delete
find . -name '*.pyc' -print -o -name a -delete
find . -name '*.pyc' -fprint kept/a
find . -type f | xargs rm
find . -name 'a' | xargs rm
find kept -exec rm {} +
find . -exec rm {} \;
find -exec rm {} \;
find . -fprint kept/a
fd -x rm
xargs rm <<< kept/a
f=kept/a; rm $f
for f in kept/a; do rm "$f"; done
bash -c 'rm kept/a'
sudo rm kept/a
timeout 5 touch kept/a
cd kept && touch a
black kept
black kept/a
black -q src kept
isort kept/a
ruff format kept
ruff check --fix kept
ruff --fix kept/a
prettier --write kept
npx prettier -w kept/a
gofmt -w kept
goimports -l -w kept/a
shfmt -w kept/a
eslint --fix kept
stylelint kept/a --fix
rubocop -A kept/a
autopep8 -i kept/a
clang-format -i kept/a
yapf --in-place -r kept
rustfmt kept/a
"""

NOT_KNOWN = r"""
pytest kept/
pytest kept/a
pytest -q --rootdir=kept
cat {1..999}
frobnicate ./kept/a
python3 x.py kept/a
python3 kept/a
make -C kept
npm test -- kept/a
black --check kept
black .
black src .
ruff format
ruff check kept
ruff check --fix
ruff check --fix .
prettier kept
prettier --write .
gofmt -l kept
git checkout .
git restore .
git clean -fd
git checkout main
git checkout main --
git checkout -f
git checkout '-f'
git checkout -q main
git checkout -b src origin/main
git checkout -qb fresh origin/main
git switch main
git reset --hard
git reset --har HEAD~1
git stash
git stash pop
git pull
git merge main
git apply x.patch
patch -p1 -i x.patch
patch -p1 < x.patch
tar xf x.tar
tar -xzf x.tgz
tar -fc -x
tar -v -xf x.tar
tar --extract -f x.tar
gtar xf x.tar
cpio -idv < x.cpio
cpio --extract < x.cpio
pax -rf x.tar
unzip x.zip
unzip -qo x.zip
unzip x.zip -x -l
git apply --stat --apply x.patch
tar xf x.tar -C kept/..
ln -s kept/a x
ln -s ../kept/a src/link
ln -s ../kept/a src
cp -l kept/a x
cp -as kept/a x
cp --symbolic-link kept/a x
rsync --unknown=kept/a src/a x
chown me kept
find . -mtime +7 -delete
find . ! -name '*.py' -delete
find . -name '*.pyc' -o -newer x -delete
find . -name *.pyc -delete
find . -name b.pyc -printf x -delete
fd pyc -x rm
cp -r missing/. .
sed s/a/b/ kept/a
perl -ne print kept/a
gzip -k kept/a
curl -T kept/a example.org
X=1 pytest kept && rm -f out
$EDITOR kept/a
sh -c 'frobnicate kept/a'
cd kept && pytest .
"""

LEFT_ALONE = r"""
cat kept/a
ls -l kept
grep -r KEY kept
find kept -name a
sort kept/a
sed -n 1,5p kept/a
diff kept/a src/a
head kept/a | sort > out
cp kept/a x
cp -r kept x
cp -r kept/ src
cp -r src new
cp src/a .
install -m 644 kept/a x
rsync -a kept/ x
rsync -rt kept/ x
rsync -rt plain .
cp -- kept/a -x y
cp -t x -r kept
cp -rt x kept
cp --target-directory=plain kept/b
ln -s ../src/a plain/link
mv src/a .
mv plain other
rm -rf plain
touch x
make test
./kept/a
timeout 5 kept/a
pytest .
pytest src
black src
black plain/a
ruff format src
prettier --write src/a
git add kept/a
git commit -m x kept/a
git clean -fd plain
git clean -nfdx
git checkout -b new
git checkout main -- src/a
git checkout src/a
git stash list
git reset --soft HEAD~1
git apply --check x.patch
tar cf x.tar src
tar tf x.tar
tar cf x .
tar xf x.tar -C plain
cpio -id -D plain < x.cpio
cpio -t < x.cpio
unzip -l x.zip
unzip -Z1 x.zip
unzip x.zip -d plain
chmod 755 .
find . -name '*.pyc' -delete
find . -type f -name '*.py[co]' -not -path './kept/*' -delete
find . \( -name '*.pyc' -o -name '*.pyo' \) -delete
find . -path './src/*' -delete
find . -name kept -prune -o -name '*.pyc' -delete
cp -r plain/. .
rsync -a plain/ .
scp src/a host:kept/a
rsync src/a host:kept/a
curl -o x example.org
sort -o x src/a
"""


def lines(table: str) -> list[str]:
    return [line for line in table.splitlines() if line]


KEPT = ("Edit(kept/**)",)


@each_row("command", [*lines(KNOWN_TO_CHANGE), "cat <<E\n`echo x > kept/a`\nE"])
def test_safe_b8_what_is_known_to_change_a_file_is_denied_in_every_mode(command: str) -> None:
    assert [decided(command, KEPT, mode=mode) for mode in ("ask", "yolo")] == ["no", "no"]
    assert decided(command, ask=KEPT) == "ask"


@each_row("command", lines(NOT_KNOWN))
def test_safe_b8_what_is_not_known_to_change_a_file_is_asked_whatever_is_allowed(command: str) -> None:
    assert decided(command, KEPT) == "ask"
    assert decided(command, ask=KEPT) == "ask"
    assert decided(command, KEPT, mode="yolo") == "yes"


@each_row("command", lines(LEFT_ALONE))
def test_safe_b8_what_only_reads_or_names_other_files_is_left_alone(command: str) -> None:
    assert decided(command, KEPT) == "yes"
    assert decided(command, ask=KEPT) == "yes"


def test_the_reason_names_the_file_and_the_rule() -> None:
    reason = "it could change kept/a, which the rule Edit(kept/**) (command line) {0}"
    # Not even the exact text allows it.
    exact = ("Bash(pytest kept/a)",)
    assert settled("pytest kept/a", KEPT, allow=exact) == (None, reason.format("denies"))
    assert settled("pytest kept/a", ask=KEPT, allow=exact) == (None, reason.format("asks about"))
    _, words = settled("sed '$r.env' plain/a", ["Read(.env)"])
    assert words == "it could read or change .env, which the rule Read(.env) (command line) denies"
    assert settled("pytest src/a", KEPT, allow=("Bash(pytest src/a)",))[0] == Decision(
        True, by_rule="Bash(pytest src/a)"
    )


BELOW: list[tuple[str, str, str]] = [
    # Decided by the rule alone, whether there is such a file or not.
    ("Edit(src/nothing)", "rm -rf src", "no"),
    ("Edit(src/nothing/*.md)", "mv src x", "no"),
    ("Edit(plain/x)", "rm -rf src", "yes"),
    # At any depth, and behind wildcards: where there is one.
    ("Edit(.env)", "rm -rf src", "no"),
    ("Edit(.env)", "rm -r src/deep", "no"),
    ("Edit(.env)", "mv src/deep x", "no"),
    ("Edit(.env)", "chmod -R 600 .", "no"),
    ("Edit(.env)", "find src -delete", "no"),
    ("Edit(.env)", "rm -rf plain", "yes"),
    ("Edit(.env)", "cp -r src x", "yes"),
    ("Edit(.env)", "black .", "yes"),
    ("Edit(.env)", "find . -name '*.pyc' -delete", "yes"),
    ("Edit(.env)", "find . -name '.e*' -exec rm -rf {} +", "no"),
    ("Edit(.env)", "find . -name deep -exec rm -rf {} +", "no"),
    ("Edit(.env)", "find . -iname DEEP -exec rm -rf {} +", "no"),
    ("Edit(.env)", "find src new -path 'new/*' -delete", "no"),
    ("Edit(.env)", "find src/deep/.env -name '.en[v]' -delete", "no"),
    ("Edit(.env)", "chmod 755 src", "yes"),
    ("Edit(.env)", "chmod 755 .", "yes"),
    ("Edit(.env)", "chown -hR me src", "no"),
    ("Edit(.env)", "ln -s src l", "yes"),
    ("Edit(.env)", "scp src/a host:.env", "yes"),
    ("Edit(.env)", "scp host:.env .", "no"),
    ("Edit(.env)", "git clean -fdx", "no"),
    ("Edit(.env)", "rsync -a --delete plain/ src", "no"),
    ("Edit(.env)", "rsync -a new/ src/deep", "no"),
    ("Edit(.env)", "cp -r new/. src/deep", "no"),
    ("Edit(new/.env)", "cp -r plain/. new/", "yes"),
    ("Edit(new/.env)", "rsync -a plain/ new/", "yes"),
    ("Edit(new/.env)", "cp -r src/deep/. new/", "no"),
    ("Edit(plain/.env)", "cp -r new/. plain", "no"),
    ("Edit(linked/b)", "cp -r kept linked", "yes"),
    ("Edit(.env)", f"cp -r src {'x' * 300}", "yes"),
    ("Edit(.env)", f"ln -s src {'x' * 300}/y", "yes"),
    ("Edit(.env)", f"find {'x' * 300} -name '[' -delete", "yes"),
    # A copy elsewhere is no edit of what is kept here, unless the rule says where.
    ("Edit(a)", "cp plain/a /nowhere", "yes"),
    ("Edit(//nowhere)", "cp plain/a /nowhere", "no"),
    ("Edit(a)", "mv plain/a /nowhere", "no"),
    ("Edit(a)", "cp plain/a new", "no"),
    ("Edit(src/*/.env)", "rm -rf src/deep", "no"),
    ("Edit(src/*/.env)", "rm -rf src/kept", "yes"),
    ("Edit(**/deep/**)", "rm -rf src/deep", "no"),
    ("Read(.env)", "rm -rf src", "no"),
    # By where a link leads; what lies behind it stays where it is.
    ("Edit(kept/**)", "rm -rf linked", "no"),
    ("Edit(linked/**)", "rm -rf kept", "yes"),
]


@each_row(("rule", "command", "expected"), BELOW)
def test_safe_b8_what_goes_with_its_folder_is_kept_with_it(rule: str, command: str, expected: str) -> None:
    assert decided(command, [rule]) == expected
    assert decided(command, [rule], mode="yolo") == expected
    assert decided(command, ask=[rule]) == ("ask" if expected == "no" else expected)


# No rule allows these as they are written, but none denies them, either.
NOT_DENIED = r"""
find . -name __pycache__ -exec rm -rf {} +
find . -name '*.pyc' | xargs rm
find . -name '*.pyc' -print0 | xargs -0 rm -f
ln -s "$PWD/src" /tmp/l
cp
"""


@each_row("command", lines(NOT_DENIED))
def test_safe_b8_what_leaves_kept_files_alone_is_asked_for_no_rule_about_them(command: str) -> None:
    rules = ["Edit(.env)", "Edit(kept/**)"]
    _, reason = settled(command, rules)
    assert "the rule" not in reason
    assert decided(command, rules, mode="yolo") == "yes"


DOUBTED: list[tuple[str, str, bool]] = [
    # Something below is changed, and a file of that name is there.
    ("Edit(.env)", "git checkout .", True),
    ("Edit(.env)", "git restore --source=HEAD .", True),
    ("Edit(.env)", "git reset --hard", True),
    ("Edit(.env)", "git checkout plain", False),
    ("Edit(.env)", "black src", False),
    ("Edit(module.py)", "black .", True),
    ("Edit(module.py)", "ruff format", True),
    ("Edit(module.py)", "prettier --write .", False),
    # What a tool has brought is not what a rule for a name is about in the first place.
    ("Edit(package.json)", "rm -rf node_modules", True),
    ("Edit(package.json)", "git checkout .", False),
    # Named in a text that a program is given.
    ("Edit(.env)", "sed -n 'w .env' plain/a", True),
    ("Edit(.env)", "sed s/a/b/w.env plain/a", True),
    ("Edit(.env)", """awk '{print > ".env"}' plain/a""", True),
    ("Edit(.env)", """python3 -c 'open(".env","w")'""", True),
    ("Edit(.env)", """python3.11 -c 'open("new/.env","w")'""", True),
    ("Edit(.env)", """node -e 'fs.writeFileSync(".env", "")'""", True),
    ("Edit(.env)", "vim -c 'w! .env' plain/a", True),
    ("Read(.env)", """python3 -c 'print(open(".env").read())'""", True),
    ("Read(.env)", "sed '$r.env' plain/a", True),
    ("Edit(.env)", """python3 -c 'print("environment")'""", False),
    ("Edit(.env)", "git commit -m 'write .env anew'", False),
    ("Read(.env)", "git commit -m 'read .env anew'", False),
    ("Edit(.env)", "sed -n 1,5p plain/a", False),
]


@each_row(("rule", "command", "is_doubted"), DOUBTED)
def test_safe_b8_what_could_change_a_kept_file_without_naming_it_is_asked(
    rule: str, command: str, is_doubted: bool
) -> None:
    for name in ("src/module.py", "node_modules/x/package.json"):
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).touch()
    assert decided(command, [rule]) == ("ask" if is_doubted else "yes")
    assert decided(command, [rule], mode="yolo") == "yes"
    assert decided(command, ask=[rule]) == ("ask" if is_doubted else "yes")


def test_more_than_can_be_looked_at_is_asked(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("code_assistant.tools.kept_places.KeptFiles", partial(KeptFiles, 5))
    many = folder / "many"
    many.mkdir()
    for number in range(10):
        (many / str(number)).touch()
    decision, reason = settled("rm -rf many", ["Edit(.env)"])
    assert (decision, "than can be looked at, and the rule Edit(.env)" in reason) == (None, True)
    assert decided("rm -rf many", ["Edit(.env)"], mode="yolo") == "yes"
    assert decided("rm -rf many", ["Bash(sudo:*)"]) == "yes"
    assert decided("rm -rf plain", ["Edit(.env)"]) == "yes"


def test_a_long_program_is_asked_about_rather_than_denied(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("code_assistant.tools.command_places.WordPlaces", partial(WordPlaces, left=250))
    command = f"python3 -c '{' '.join(f'name{number}' for number in range(30))}'"
    _, reason = settled(command, ["Read(.env)"])
    assert "than can be looked at, and the rule Read(.env)" in reason
    assert decided(command, ["Read(.env)"], mode="yolo") == "yes"
    assert decided(command) == "yes"


def test_files_are_found_near_ones_first_within_bounds(folder: Path) -> None:
    def is_kept(path: Path) -> bool:
        return path.name in ("a", ".env")

    files = KeptFiles()
    found = [str(path.relative_to(folder)) for path in files.below(folder, is_kept)]
    assert set(found) >= {"first", "kept/a", "linked/a", "new/.env", "src/deep/.env"}
    assert [path.count("/") for path in found] == sorted(path.count("/") for path in found)
    assert not files.is_cut
    seen = [path.name for path in KeptFiles().below(folder, is_kept, passes_hidden=True)]
    assert ".env" not in seen
    few = KeptFiles(most=3)
    assert len(list(few.below(folder, is_kept))) <= 3
    assert few.is_cut


COME_UPON: list[tuple[str, str, bool]] = [
    ("Read(.env)", "grep -r KEY .", True),
    ("Read(.env)", "grep -rn KEY", True),
    ("Read(.env)", "grep -n -R KEY src new", True),
    ("Read(.env)", "egrep --recursive KEY src", True),
    ("Read(.env)", "cat x | grep -r KEY .", True),
    ("Read(.env)", "cd src && grep -r KEY", True),
    ("Read(.env)", "tar cf x.tar src", True),
    ("Read(.env)", "zip -r x.zip src", True),
    ("Read(.env)", "cp -r src x", True),
    ("Read(.env)", "rsync -a src/ x", True),
    ("Read(.env)", "diff -r src x", True),
    ("Read(.env)", "rg --hidden KEY", True),
    ("Read(.env)", "rg -uu KEY", True),
    ("Read(kept/**)", "rg KEY", True),
    ("Read(kept/**)", "rg KEY .", True),
    ("Read(kept/a)", "ack KEY", True),
    ("Read(plain/a)", "grep -r KEY .", True),
    # Nothing of it there, or it is known not to be read.
    ("Read(.env)", "grep -r KEY plain", False),
    ("Read(.env)", "grep -r KEY kept/a", False),
    ("Read(.env)", "grep KEY plain/a", False),
    ("Read(.env)", "grep -e KEY plain/a", False),
    ("Read(.env)", "rg KEY", False),
    ("Read(.env)", "cp plain/a src", False),
    ("Read(.env)", "find . -name '*.py'", False),
    ("Read(.env)", "ls -R", False),
    ("Read(.env)", "git log -p", False),
    ("Read(kept/**)", "rg KEY src", False),
    ("Read(nothing/**)", "grep -r KEY .", False),
]


@each_row(("rule", "command", "is_denied"), COME_UPON)
def test_safe_b8_where_nobody_is_asked_what_would_read_a_denied_file_is_denied(
    rule: str, command: str, is_denied: bool
) -> None:
    decision, _ = settled(command, [rule], mode="yolo")
    assert decision is not None
    assert decision.allowed is not is_denied
    if is_denied:
        assert decision.reason.startswith("it would read ")
        assert decision.reason.endswith(f"the rule {rule} denies it")
    # A rule that asks says nothing there.
    assert decided(command, ask=[rule], mode="yolo") == "yes"


NAMES: list[tuple[str, str, bool]] = [
    # In quotes a tilde is part of a name, though some programs put the home folder there by themselves.
    ("Read(./~/secret)", "cat '~/secret'", True),
    ("Read(~/secret)", "ssh -i '~/secret' host", True),
    ("Read(~/secret)", "cat ~/secret", True),
    ("Read(./~/secret)", "cat ~/secret", False),
    ("Read(first)", "cat first", True),
    ("Read(second)", "cat first", True),
    ("Read(plain)", "cat first", True),
    ("Read(second)", "cat plain/a", False),
    # A folder to go to can be written as a pattern, too.
    ("Read(new/.env)", "cd ne? && cat .env", True),
    ("Read(new/.env)", "cd {src,new} && cat .env", True),
    ("Edit(kept/**)", "cd ./k*t && rm a", True),
    ("Read(new/.env)", "cd sr? && cat .env", False),
    # One of several parts of a word.
    ("Read(new/.env)", "docker run -v ./new/.env:/x y", True),
    ("Read(new/.env)", "docker run --mount type=bind,source=new/.env,target=/x y", True),
    ("Read(new/.env)", "docker run -v ./new/other:/x y", False),
]


@each_row(("rule", "command", "is_denied"), NAMES)
def test_safe_b8_a_place_is_denied_by_each_of_its_names(rule: str, command: str, is_denied: bool) -> None:
    assert (decided(command, [rule], mode="yolo") == "no") is is_denied
