"""What rules that deny get to see (B8): through wrappers, quoting, control flow, nested shells."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from code_assistant.permissions.shell import searching
from code_assistant.permissions.shell.analysing import analyse
from code_assistant.permissions.shell.analysis import REST
from tests.rows import each_row

REMOVES = r"""
rm a
r\m a
'rm' a
"rm" a
r'm' a
""rm a
r""m a
$'rm' a
$'\x72m' a
$'\162m' a
$"rm" a
ls; rm a
ls && rm a
ls || rm a
ls | rm a
ls & rm a
rm a &
(rm a)
((1)); rm a
{ rm a; }
! rm a
if true; then rm a; fi
if rm a; then ls; fi
while true; do rm a; done
for i in a b; do rm a; done
case x in x) rm a;; esac
f() { rm a; }; f
function f { rm a; }
echo $(rm a)
echo "$(rm a)"
echo `rm a`
echo "a $(echo $(rm a))"
cat <(rm a)
x=$(rm a)
X=1 rm a
PATH=. rm a
rm a > b
> b rm a
rm a 2>/dev/null
timeout 5 rm a
timeout -s KILL 5 rm a
timeout --unknown 5 rm a
time rm a
time -p rm a
nice rm a
nice -n 5 rm a
nohup rm a
stdbuf -o0 rm a
time timeout 5 nice rm a
/usr/bin/time -o b rm a
/usr/bin/timeout 5 rm a
env rm a
env X=1 rm a
env -i X=1 rm a
env -u X rm a
env -S "rm a"
env env env env env env env env rm a
sudo rm a
sudo -u bob rm a
sudo -n -- rm a
sudo X=1 rm a
doas rm a
exec rm a
command rm a
builtin rm a
setsid rm a
busybox rm a
chroot / rm a
flock b rm a
ionice -c 3 rm a
strace -f rm a
xargs rm a
find . | xargs -0 rm a
xargs -n 1 -P 4 rm a
xargs -I {} rm a
find . -exec rm a \;
find . -execdir rm a +
find . -name x -exec ls {} \; -exec rm a \;
find . -ok rm a \;
fd x -x rm a
fd x --exec rm a
bash -c "rm a"
bash -lc 'rm a'
bash -c 'ls; rm a'
sh -c 'if true; then rm a; fi'
bash -c "bash -c 'rm a'"
bash -c 'bash -c "sh -c \"rm a\""'
sudo bash -c 'rm a'
/bin/bash -c 'rm a'
bash -x -c 'rm a'
bash --norc -c 'rm a'
zsh -c 'rm a'
eval rm a
eval 'rm a'
eval "rm" "a"
eval eval rm a
su -c 'rm a'
su bob -c 'rm a'
script -c 'rm a' b
watch rm a
watch -n 1 'rm a'
ssh host rm a
ssh -p 22 host 'rm a'
trap 'rm a' EXIT
echo rm a | sh
echo 'rm a' | bash
printf 'rm a' | sh
bash <<< 'rm a'
git -c alias.x='!rm a' x
uv run rm a
npx rm a
poetry run rm a
docker run image rm a
docker exec -it box rm a
coproc rm a
time { rm a; }
rm a; if (((
rm a # and more
[[ -f b ]] && rm a
ls $x; rm a
env - rm a
env -S'rm a'
env --split-string='rm a'
bash -co pipefail 'rm a'
bash -c +x 'rm a'
echo -n rm a | sh
echo -e 'rm a' | sh
sudo -nu root -- rm a
sudo -Hu root -E rm a
script -qc 'true; rm a' o
su -lc 'true; rm a' root
su --command='rm a'
flock l --command='rm a'
. /dev/stdin <<< 'rm a'
source <(echo rm a)
eval $(echo rm a)
{rm,a}
nice {5,rm} a
setarch x86_64 rm a
npx -c 'rm a'
fish --command 'rm a'
git submodule foreach 'rm a'
git bisect run rm a
git rebase -x 'rm a' HEAD
git rebase --exec='rm a' HEAD
tmux new -d 'rm a'
at now <<< 'rm a'
kubectl exec p -- rm a
docker compose exec c rm a
fakeroot rm a
xvfb-run rm a
firejail rm a
proxychains rm a
printf '%s\n' 'rm a' | sh
test -v 'a[$(rm a)]'
[ -v 'a[`rm a`]' ]
printf -v 'a[$(rm a)]' b
let 'a[$(rm a)]'
mapfile -C 'rm a' b
jobs -x rm a
compgen -C 'rm a'
compgen -W '$(rm a)'
printf 'ls\nrm a\n' | sh
echo -e 'ls\nrm a' | sh
echo -e 'r\x6d a' | sh
timeout --zz a b c d e rm a
nice --zz a b c d e f g h i j rm a
fd -xrm a
fd -Hxrm a
fd --exec=rm a
choom -n 0 -- rm a
uclampset -m 1 rm a
ssh-agent rm a
start-stop-daemon --start --exec rm a
runcon x rm a
i386 rm a
x86_64 rm a
linux32 rm a
chronic rm a
gosu u rm a
hyperfine 'rm a'
mise exec -- rm a
docker-compose exec x rm a
split --filter='rm a' x
split --fil='rm a' x
tar -I 'rm a' -xf x
tar -xI 'rm a' -f x
tar --to-command='rm a' -xf x
tar --use-compress-program='rm a' -xf x
tar -cf x --checkpoint=1 --checkpoint-action=exec='rm a' .
sort --compress-program='rm a' x
rsync -e 'rm a' x h:y
alias x='rm a'; x
ssh -o ProxyCommand='rm a' h
git -c core.pager='rm a' log
git -C . -c alias.x='!rm a' x
sudo bash -c 'ls;rm a'
echo ${x:-`rm a`}
echo "${x:-`rm a`}"
echo ${x=`rm a`}
echo ${x/`rm a`/b}
echo "${x:-'$(rm a)'}"
echo `: \`rm a\``
echo "`: \`rm a\``"
echo ${ rm a; }
[[ x =~ <(rm a) ]]
bash <<< $'rm a'
bash <<< "rm a"
if test -v 'x[$(rm a)]'; then :; fi
{ let 'x[$(rm a)]'; }
command let 'x[$(rm a)]'
read 'x[$(rm a)]' <<< 1
declare -i y='x[$(rm a)]'
declare -i y; y='x[$(rm a)]'
declare -n y='x[$(rm a)]'; echo $y
[[ -v 'x[$(rm a)]' ]]
[[ 'x[$(rm a)]' -eq 1 ]]
(( 'x[$(rm a)]' ))
echo $(( 'x[$(rm a)]' ))
x['$(rm a)']=1
x=(['y[$(rm a)]']=1)
echo ${x['$(rm a)']}
v='x[$(rm a)]'; echo ${!v}
v='x[$(rm a)]'; ((v))
v="x[\$(rm a)]"; echo ${y:v}
v='x[$''(rm a)]'; let v
v='$(rm a)'; echo ${v@P}
PS4='$(rm a)'; set -x; ls
BASH_ENV='$(rm a)' bash -c :
PAGER='rm a' git log
export GIT_PAGER='rm a'; git log
time PS4='$(rm a)'; set -x; ls
make SHELL='rm a'
ls >& "\`rm a\`"
bash -c "rm a $x"
bash -c 'rm a '$x
sh -c "cd $x && rm a"
bash -c "if [ -d '$x' ]; then rm a; fi"
sudo timeout 5 bash -c "rm a $x"
eval "cd $x; rm a"
$SUDO bash -c 'rm a'
bash -c 'bash -c '"'rm a '"$x
echo "rm a $x" | sh
ssh h "cd $x; rm a"
env -S "rm a $x"
watch "rm a $x"
find . -exec sh -c "rm a $x" \;
git -c "core.pager=rm a $x" log
git grep -O"rm a $x" b
rsync -e "rm a $x" b h:c
fd --exec="rm a" $x
git grep -O'rm a' x
git grep -lO'rm a' x
git grep --open='rm a' x
git ls-remote --upload-pack='rm a;true' .
git fetch --upload-pack 'rm a' .
git clone -u 'rm a' . b
git clone -c core.fsmonitor='rm a' . b
git clone 'ext::rm a' b
git push --receive-pack='rm a' .
git archive --remote=. --exec='rm a' x
git difftool -y -x'rm a'
git -C . rebase --ex 'rm a' main
git -C "$X" rebase -x 'rm a' main
git $X rebase -x 'rm a' main
git bisect run rm a
git submodule --quiet foreach 'rm a'
git filter-branch --tree-filter 'rm a'
git config alias.x '!rm a'
git config --global core.pager 'rm a'
git grep {-O,rm\ a} x
man -P 'rm a' ls
man -P'rm a' ls
man --pager='rm a' ls
tar cIf 'rm a' x y
scp -o ProxyCommand='rm a' x h:y
ssh -o 'ProxyCommand rm a' h
apt-get -o DPkg::Pre-Invoke::='rm a' update
rg --pre 'rm a' x
hg --config alias.x='!rm a' x
env -S'rm a'
script -qc 'rm a' x
vim -c '!rm a'
nvim -es -c 'silent !rm a'
vim --cmd 'call system("rm a")'
less '+!rm a' x
sqlite3 x '.shell rm a'
make --eval='$(shell rm a)'
awk 'BEGIN{system("rm a")}'
gawk '{ print | "rm a" }' x
sed 's/x/rm a/e' b
sed -n 's|.*|rm a|pe' b
sed '1e rm a' b
perl -e '`rm a`'
python3.12 -c 'import subprocess; subprocess.run(["rm", "a"])'
node -e 'require("child_process").execSync("rm a")'
"""
MORE = (
    "r\\\nm a",
    "ls\nrm a",
    "ls # b\nrm a",
    "bash <<E\nrm a\nE",
    "cat <<E | sh\nrm a\nE",
    "ls \x00; rm a",
    "ls \u200b; rm a",
    "ls\r\nrm a",
    "rm a\nif (",
    "; ".join(["ls"] * 60) + "; rm a",
    "ls; " * 3_000 + "rm a",
    "ls " + "$(" * 3 + "rm a" + ")" * 3,
    "timeout 5 " * 60 + "rm a",
    "ls; " * 3_000 + "then rm a",
    "sudo rm a; " + "ls; " * 3_000,
    # More special characters than are parsed.
    ": " + "$" * 401 + "; X=1 rm a",
    ": " + "$" * 401 + "; r'm' a",
    ": " + "$" * 401 + "; >b r\\m a",
    ": " + "$" * 401 + "; " + "X=1 " * 50 + "rm a",
    ": ;" * 401 + "$'rm' a",
    ": ;" * 401 + "$'\\x72m' a",
    ": ;" * 401 + "r\\\nm a",
    ": " + "x " * 1_501 + "; $'rm' a",
    # More of them than were once looked at.
    "env a; " * 101 + "bash -c 'rm a'",
    "env a; " * 101 + "sudo rm a",
    "xargs " + " ".join(f"'x {number}'" for number in range(41)) + " 'rm a'",
    "nice {" + ",".join(f"-n,{number}" for number in range(30)) + ",rm,a}",
    "xargs " + "-x " * 60 + "rm a",
    "bash " + "-x " * 60 + "-c 'rm a'",
    "sudo " * 40 + "find . -exec rm a \\;",
    # Texts for programs, indented.
    "cat <<-E\n\t$(rm a)\n\tE",
    "cat <<-E\n\tx `rm a`\n\tE",
    "cat <<-E\n\t$(echo $(rm a))\n\tE",
    "cat <<-E\n\t) ( $(ls (b) ) $(rm a) (\n\tE",
    "cat <<-E\n\t$(case x in x) rm a;; esac)\n\tE",
    # Texts for programs in which the parser overlooks something.
    "cat <<E\n`rm a`\nE",
    "cat <<E\n$ $(rm a)\nE",
    "cat <<E\n${x:-'$(rm a)'}\nE",
    "cat <<E\n$(echo ')'; rm a)\nE",
    "bash <<E\necho \\$(rm a)\nE",
    "case x in x) cat <<\\E; rm a\n' `\nE\nesac",
    'bash -s <<E\necho "${x#"}"}"; rm a\n',
    "echo $'bash -s <<E\\n`env -S\\'rm a\\'` true\\nE' | bash",
    "time v='x[`rm a`]'; let v",
    "! for v in $'x[$(# )\\nrm a)]'; do ((v)); done",
    "python3 - <<'E'\nimport os\nos.system('rm a')\nE",
    # What the shell does itself after a word that the parser takes for a program.
    "! (('x[`rm a`]'))",
    "time (('x[`rm a`]'))",
    "time [[ 'x[$(rm a)]' -eq 1 ]]",
    "time -p [[ -v 'x[$(rm a)]' ]]",
    "time declare -i y; y='x[$(rm a)]'",
    "time x=1 y='`' rm a",
    "x=1 y='`' # don't\nrm a",
    # Quotes and escapes of several kinds within each other.
    "echo 'rm a' | bash$none",
    "bash <<< 'compgen -C $'\"'\"'eval \"$(cat <<E\\nrm a\\nE\\n)\"'\"'\"' x'\"$none\"",
    "v='x[`v=$'\"'\"'$(cat <<E\\n)\\nE\\nrm a)'\"'\"'; echo $''{v@P}`]'\"$none\"; read \"$v\" <<< 1",
    'echo $(echo "$(echo \')\')"; cat <<\\E; env -S"rm a"\n\' " `\nE)',
    "cat <<E\n${x:-'`true | ((\\$'x[\\$( cat <<\\\\\\\\E | sh\\\\nrm a\\\\nE\\\\n)]'))`'}\nE",
    "PS4=$'$( cat <<-E\\n\t`. /dev/stdin <<< $\\'compgen -C $\\\\\\'rm a\\\\\\' x\\'`\\n\tE\\n)'\"$none\"; set -x; :",
    "((`echo \"$(echo \"`echo 'b'`rm a`'c'`\")\"`))",
    "echo `echo ${x:-`echo `compgen -C 'bash <<-'\"'\"'E'\"'\"'\n\trm a\n\tE' x``}`",
    # More of them than are parsed.
    "echo " + "${x:-`ls`}" * 150 + "${x:-`rm a`}",
)


@each_row("command", [*REMOVES.strip("\n").split("\n"), *MORE], ids=lambda command: repr(command[:60]))
def test_safe_b8_what_would_run_is_among_the_members(command: str) -> None:
    found = [member.text for member in analyse(command).members]
    assert "rm a" in found or any(text.startswith("rm a ") for text in found), found[:10]


@each_row(
    "command",
    [
        *("/bin/rm a", "/usr/bin/rm a", "./rm a", "../bin/rm a", "env /bin/rm a", "bash -c '/bin/rm a'"),
        *("'/bin/rm' a", "/bin//rm a", "sudo /bin/rm a", "$(/bin/rm a)"),
        "/lib64/ld-linux-x86-64.so.2 /bin/rm a",
    ],
)
def test_safe_b8_a_program_is_known_by_its_name_wherever_it_lies(command: str) -> None:
    assert "rm" in [member.program for member in analyse(command).members]


@each_row(
    "command",
    [
        *("echo rm a", "echo 'ls; rm a'", "grep 'rm a' b", "ls # rm a", "cat rm", "ls --rm a"),
        *("cat <<-'E'\n\t$(rm a)\n\tE", "cat <<-E\n\trm a\n\tE", "x=$(timeout 5 grep rm a)", "tar -xf a rm"),
        *("printf 'rm a\\n'", "fd -e rm a", "git -c user.name=x log rm", "hash -r; echo rm a"),
        # Quotes keep it, and comments.
        *("echo 'use $(rm a) carefully'", "git commit -m 'remove `rm a`' && echo $HOME", "echo $x # don't `rm a`"),
        *(
            'git commit -m "use \\`rm a\\` $x"',
            "for f in *; do sed 's/`rm a`/x/' \"$f\"; done",
            "echo `date` rm a `date`",
        ),
        "git commit -m \"$(cat <<'E'\ndon't use `rm a` or $(rm a)\nE\n)\"",
        'gh pr create --body "$(cat <<E\nuse \\`rm a\\` here\nE\n)"',
        "while read -r line; do echo \"$line\"; done <<'E'\n`rm a`\nE",
        *("export A=b; echo 'use `rm a`'", "if [[ -n $x ]]; then echo 'see `rm a`'; fi", "echo $((1+2)) rm a"),
        *("echo ${a[0]} ${a[@]} ${x:0:1} ${x:-b} 'see `rm a`'", "for f in $(ls); do grep rm $f; n=$((n+1)); done"),
        *("time [ -n 'see `rm a`' ]", "time git log --grep '$(rm a)'", "x=1 y=2 echo 'rm a' # rm a", "X=rm echo rm a"),
        # What git is given to remember, to look for or to name.
        *("git commit -m 'rm a'", "git commit -am '!rm a'", "git log --grep 'rm a' -S 'rm a'", "git grep -n 'rm a' x"),
        *("git rebase -i rm", "git bisect start rm", "git clean -x rm", "git cherry-pick -x rm", "git diff -O rm"),
        *(
            'git -C "$X" rm a',
            "git push origin rm",
            "git clone -b rm x",
            "git submodule add rm",
            "git config user.name rm",
        ),
        *(
            "man rm",
            "tar czf rm a",
            "vim rm",
            "vim -c 'set nu' rm",
            "rg 'rm a' x",
            "apt install rm",
            "psql -c 'select rm'",
        ),
        *("sed 's/x/rm a/' b", "sed -e 's/rm a/e/' b", "sed -n '/rm/p' b", "awk '/rm/ {print \"rm \" $1}' b"),
        *(
            "python3 -c 'print(\"rm a\")'",
            "perl -pe 's/rm a/x/' b",
            "node -e 'console.log(\"rm a\")'",
            "ruby -e 'puts \"rm\"'",
        ),
    ],
)
def test_what_only_mentions_a_command_does_not_hold_it(command: str) -> None:
    assert "rm" not in [member.program for member in analyse(command).members]


@each_row(
    "command, direct, others",
    [
        ("ls", ["ls"], []),
        ("ls -l | head", ["ls -l", "head"], []),
        ("timeout 5 ls a", ["ls a"], ["timeout 5 ls a"]),
        ("time nice ls", ["ls"], ["time nice ls", "nice ls"]),
        ("uv run pytest", ["uv run pytest"], ["pytest"]),
        ("ls 'a b'", ["ls a b"], []),
        ("ls *.py", ["ls *.py"], []),
        ("mkdir -p a{1..3} b{c,d}", ["mkdir -p a{1..3} b{c,d}"], []),
        ("echo $(ls)", [], ["echo $(ls)", "ls"]),
    ],
)
def test_only_what_a_plain_list_runs_itself_is_direct(command: str, direct: list[str], others: list[str]) -> None:
    members = analyse(command).members
    assert [member.text for member in members if member.is_direct] == direct
    assert [member.text for member in members if not member.is_direct] == others


@each_row(
    "command, connectors",
    [("ls", [""]), ("ls; pwd && id || true | cat\nls", ["", ";", "&&", "||", "|", "\n"]), ("ls\n\n\nls;", ["", "\n"])],
)
def test_members_know_what_connects_them(command: str, connectors: list[str]) -> None:
    assert [member.connector for member in analyse(command).members] == connectors


@each_row(
    "command, expected",
    [
        ("ls > a", [(">", "a", True)]),
        ("ls >> 'a b'", [(">>", "a b", True)]),
        ("ls &> a", [("&>", "a", True)]),
        ("ls 2> a < b", [(">", "a", True), ("<", "b", False)]),
        ("ls > /dev/null 2>&1", []),
        ("ls 2>/dev/null", []),
        ("if true; then ls > a; fi", [(">", "a", True)]),
        ("(ls) >> a", [(">>", "a", True)]),
        ("> a", [(">", "a", True)]),
        ("ls > $x", [(">", None, True)]),
    ],
)
def test_redirections_are_told_wherever_they_stand(command: str, expected: list[tuple[str, str | None, bool]]) -> None:
    found = [each for member in analyse(command).members for each in member.redirections]
    assert [(each.operator, each.target.value, each.writes) for each in found] == expected


def test_an_output_redirection_alone_is_no_obstacle() -> None:
    assert analyse("npm test > log.txt 2>&1").obstacle is None


@each_row(
    "command",
    [
        "env " + " ".join(f"env A{number}" for number in range(4_500)),
        "xargs ' " + "y " * 40_000 + "'",
        "ls " + "x" * 40_000,
    ],
    ids=lambda command: command[:20],
)
def test_safe_b8_where_a_bound_is_reached_there_is_a_rest_that_could_be_anything(command: str) -> None:
    analysis = analyse(command)
    assert REST in analysis.members
    assert analysis.obstacle is not None


def test_beyond_a_bound_nothing_more_is_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    found: list[str] = []

    def substitutions(_root: object) -> Iterator[str]:
        for number in range(5_000):
            found.append(f"ls {number} " + "x" * 1_000)
            yield found[-1]

    monkeypatch.setattr(searching, "substitutions_in", substitutions)
    assert REST in analyse("if true; then ls; fi").members
    assert len(found) < 1_000


@each_row("command", ["env " * 1_400 + "ls", "sudo env " * 700 + "ls", "env " + "A=1 " * 1_400 + "ls"])
def test_what_starts_others_over_and_over_is_told_in_few_words(command: str) -> None:
    members = analyse(command).members
    assert "ls" in [member.program for member in members]
    assert sum(len(member.words) for member in members) < 20_000
