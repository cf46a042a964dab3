"""Commands composed so that bash may run a payload somewhere inside, and bash asked which of them really do."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from random import Random

from tests.hang_guard import HANG_GUARD

PAYLOAD = "touch made"
_MADE = "made"
_HOLE = "@"
# Whole commands around another.
_AROUND = (
    *("@", "true; @", "true && @", "if true; then @; fi", "for i in 1; do @; done", "case x in x) @;; esac"),
    *("while @; do break; done", "f() { @; }; f", "(@)", "{ @; }", "! @", "true | @", "@ &\nwait", "time @"),
    *("function f { @; }\nf", "f() if true; then @; fi\nf", "coproc { @; }\nwait", "for ((i=0;i<1;i++)); do @; done"),
    *("case x in (x) @ ;& y) :;; esac", "until @; do break; done", "> out @", "x=1 y='`' @", "# don't\n@"),
    *("[[ a ]] && @", "cat <<'E'\ndon't `\nE\n@", "cat <<\\E; @\n' \" `\nE", "cat <<E'F'\n$(\nEF\n@"),
    *('cat <<-"A B"\n\'\n\tA B\n@', "echo a#' ; b'; @", "echo \\' ; @", 'echo "it\'s"; @', "echo $'\\''; @"),
    *("cat <<A <<'B'\n'\nA\n`\nB\n@", "echo $#; @", "echo ${x#'}'}; @", "echo ${x%\\}}; @", 'echo "${x#"}"}"; @'),
    *("[[ x =~ ^(a|'b')$ ]] || @", "x=(a 'b' \"c\") ; @", "x+=('`') ; @", "echo {a,'b'} ; @", "echo a \\\n b; @"),
    *("((x=1)); @", "echo $((1<<2)); @"),
)
# Commands with a word in which something is substituted.
_WITH_WORD = (
    *("echo @", 'echo "@"', "x=@", "x=a@b", "echo ${x:-@}", 'echo "${x:-@}"', "echo ${x=@}", 'echo "${x:=a @ b}"'),
    *("x=1; echo ${x:+@}", "x=1; echo ${x/@/b}", "x=1; echo ${x/1/@}", "x=1; echo ${x#@}", 'x=1; echo "${x%%@}"'),
    *("cat <<E\n@\nE", "cat <<-E\n\t@\n\tE", "cat <<E\n$ @\nE", "cat <<E\nit's @\nE", 'cat <<E\n"@\nE'),
    *("cat <<E\n# @\nE", "cat <<E\n${x:-@}\nE", "cat <<E\n${x:-'@'}\nE", "cat <<E\n\\\\@\nE", "cat <<E | cat\n@\nE"),
    *("cat <<'A' <<B\n'\nA\n@\nB", "[[ @ == x ]]", "[[ x =~ @ ]]", "[[ x == @ ]]", "[[ -n @ ]]"),
    *("case @ in *) ;; esac", "case x in @) ;; esac", "for i in @; do :; done", "a=(@)", "a=([0]=@)", "a[0]=@"),
    *("a[@]=1", "echo $((@))", "echo $[ @ ]", "((@))", "echo ${a[@]}", 'echo "${a[@]}"', "x=1; echo ${x:@}"),
    *("cat < @", "cat <<< @", 'cat <<< "@"', "let @", "test -n @", "export y=@", 'declare y="@"'),
    *("f() { local y=@; }; f", "echo {a,@}", "echo $'a'@", "echo 'a'@'b'", "echo a#@", 'echo "it\'s @"'),
    *("echo don\\'t @", 'echo "\\\\@"', "echo $# @", "echo ~@", "echo ${#x}@", "echo $x$ @", "echo $@"),
    *("echo \"${x:-'@'}\"", 'echo "${x:-"@"}"', 'echo "${x:-\\"@}"', 'echo "a\'b"@', "echo '\"'@'\"'"),
    *("echo \\\\@", "[ -n @ ]", "if [[ -z @ ]]; then :; fi", "while test @; do break; done", "echo $(echo @)"),
    *('echo "$(echo "@")"', "echo `echo a`@", "x= echo @", "@ true", "exec 3< @", "printf %s @"),
    *("echo ${x:-${y:-@}}", "echo \"${x:-${y:-'@'}}\"", "echo a=@", "set -- @", "select i in @; do break; done"),
    *("echo ${x:-`echo @`}", "cat <<E\n`echo @`\nE", "return @", "eval : @", "unset @", "read @ <<< 1"),
    *("cat <<E\n$((@))\nE", "cat <<E\n$\n$ $$ @\nE", "[[ a < @ ]]", 'echo "$"@', 'echo "a $ @"', "echo ?(@)"),
    *("echo '$('@",),
)
_SUBSTITUTIONS = (
    *("$(@)", "$( @\n)", "$(@;)", "$(true; @)", "$( (true); @ )", "$(echo ')'; @)", '$(echo ")"; @)'),
    *("$(echo \\); @)", "$(# )\n@)", "$(case x in x) @;; esac)", "$(case x in (x) @;; esac)", "$(cat <<E\n)\nE\n@)"),
    *("<(@)", ">(@)", "${ @; }", "$(echo \"$(echo ')')\"; @)", "$({ @; })", "$(\n@\n)", "$(@ # ' )\n)"),
    *("$((true); @)", "$(cat <<'E'\n' )\nE\n@)"),
)
# Names and numbers that bash evaluates once more, in which quotes keep nothing.
_SECOND_TIME = (
    *("test -v @", "[ -v @ ]", "[[ -v @ ]]", "[[ @ -eq 1 ]]", "[[ 1 -lt @ ]]", "let @", "let y=@", "((@))"),
    *("echo $((@))", "read @ <<< 1", "declare -i y=@", "declare @=1", "typeset -i y=@", "printf -v @ a", "unset @"),
    *("v=@; echo ${!v}", "v=@; ((v))", "v=@; echo $((v+1))", "v=@; [[ v -eq 1 ]]", "v=@; x=1; echo ${x:v}"),
    *("v=@; echo ${a[v]}", "v=@; a[v]=1", "v=@; let v", 'v=@; test -v "$v"', 'v=@; read "$v" <<< 1'),
    *('v=@; printf -v "$v" a', 'v=@; unset "$v"', "declare -n v=@; echo $v", "f() { (($1)); }; f @"),
    *("f() { local -i y=$1; }; f @", "for v in @; do ((v)); done", "read v <<< @; ((v))", "a=([@]=1)"),
    *("if let @; then :; fi", "command let @", "builtin read @ <<< 1", "mapfile @ <<< 1", "declare -i y; y=@"),
    *("set -- @; (($1))", 'v=@; declare "$v=1"', "wait -p @", "export y=@; ((y))", "echo ${a[@]}", "a[@]=1"),
    *("getopts a @", "x=1; echo ${x:@}"),
)
# What is given to a shell, or to what is like one, as a text.
_AS_TEXT = (
    *("bash -c @", "eval @", "sh -c @", "trap @ EXIT", "bash <<< @", "echo @ | bash", "printf '%s\\n' @ | sh"),
    *("env bash -c @", "source <(echo @)", ". /dev/stdin <<< @", "bash < <(echo @)", "compgen -C @ x"),
    *(
        "v=@; echo ${v@P}",
        "command eval @",
        "PS4=@; set -x; :",
        "true >& @",
        "BASH_ENV=@ bash -c :",
        "timeout 5 bash -c @",
    ),
    *("time PS4=@; set -x; :",),
    *("nice sh -c @", "find . -maxdepth 0 -exec bash -c @ \\;", "xargs -I{} bash -c @ <<< a"),
    *("mapfile -C @ -c 1 x <<< 1", "env -S@", "eval eval @", "jobs -x @", "PROMPT_COMMAND=@ true"),
)
_AS_LINES = (
    *("bash <<'E'\n@\nE", "cat <<\\E | sh\n@\nE", "eval \"$(cat <<'E'\n@\nE\n)\"", "bash <<-'E'\n\t@\n\tE"),
    *("bash -s <<E\n@\nE",),
)
_PLAIN = (f"$({PAYLOAD})", f"`{PAYLOAD}`", f"<({PAYLOAD})")
_MOST_CHARACTERS = 400


def composed(chance: Random) -> str:
    """A command with the payload somewhere inside."""
    while True:
        text = _command(chance, chance.randint(1, 4))
        if len(text) < _MOST_CHARACTERS:
            return text


def each_frame(chance: Random) -> Iterator[str]:
    """Every frame once around every way of substituting or around the payload itself."""
    yield from (frame.replace(_HOLE, PAYLOAD) for frame in (*_AROUND, *_AS_LINES))
    yield from (frame.replace(_HOLE, each) for frame in _WITH_WORD for each in _PLAIN)
    for frame in (*_SECOND_TIME, *_AS_TEXT):
        head, _, tail = frame.partition(_HOLE)
        yield from (f"{head}{_quoted(chance, text)}{tail}" for text in (PAYLOAD, f"`{PAYLOAD}`", f"x[$({PAYLOAD})]"))
    yield from (f"cat <<E\n{each.replace(_HOLE, PAYLOAD)}\nE" for each in _SUBSTITUTIONS)


def _command(chance: Random, depth: int) -> str:
    if depth == 0:
        return PAYLOAD
    inner = _command(chance, depth - 1)
    kinds: list[Callable[[Random, str], str]] = [
        _around,
        _with_word,
        _with_word,
        _with_word,
        _second_time,
        _text,
        _lines,
    ]
    return chance.choice(kinds)(chance, inner)


def _around(chance: Random, inner: str) -> str:
    return chance.choice(_AROUND).replace(_HOLE, inner)


def _with_word(chance: Random, inner: str) -> str:
    return chance.choice(_WITH_WORD).replace(_HOLE, _substitution(chance, inner))


def _second_time(chance: Random, inner: str) -> str:
    return chance.choice(_SECOND_TIME).replace(_HOLE, _quoted(chance, f"x[{_substitution(chance, inner)}]"))


def _text(chance: Random, inner: str) -> str:
    frame = chance.choice(_AS_TEXT)
    substituted = any(each in frame for each in ("@P", "PS4", "BASH_ENV", ">&"))
    text = _substitution(chance, inner) if substituted else inner
    head, _, tail = frame.partition(_HOLE)
    return head + _quoted(chance, text) + tail


def _lines(chance: Random, inner: str) -> str:
    return chance.choice(_AS_LINES).replace(_HOLE, inner)


def _substitution(chance: Random, inner: str) -> str:
    if chance.random() < 0.35:
        escaped = inner.replace("\\", "\\\\").replace("`", "\\`").replace("$", "\\$")
        return f"`{escaped}`" if chance.random() < 0.5 else f"`{inner}`"
    return chance.choice(_SUBSTITUTIONS).replace(_HOLE, inner)


def _quoted(chance: Random, text: str) -> str:
    kind = chance.random()
    if kind < 0.5:
        return shlex.quote(text)
    if kind < 0.7:
        return "$'" + text.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n") + "'"
    if kind < 0.9:
        return '"' + "".join(f"\\{each}" if each in '\\"$`' else each for each in text) + '"'
    if kind < 0.95:
        return f'{_quoted(chance, text)}"$none"'
    half = chance.randint(0, len(text))
    return shlex.quote(text[:half]) + shlex.quote(text[half:])


def has_walls() -> bool:
    """Whether commands can be run where they can harm nothing."""
    if shutil.which("bwrap") is None or not Path("/bin/bash").exists():
        return False
    return subprocess.run([*_walls(), "true"], capture_output=True).returncode == 0


def really_run(commands: Sequence[str], folder: Path) -> list[bool]:
    """For each, whether bash ran the payload: in a folder of its own, and nothing else can be written."""
    for number, command in enumerate(commands):
        (folder / str(number)).mkdir()
        (folder / f"{number}.sh").write_text(command)
    script = f"""
for ((n = 0; n < {len(commands)}; n++)); do
  cd {shlex.quote(str(folder))}/$n && timeout -s KILL 5 bash ../$n.sh </dev/null >/dev/null 2>&1
done
true"""
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder), "LANG": "C.UTF-8"}
    walls = [*_walls(), "--bind", str(folder), str(folder), "bash", "-c", script]
    subprocess.run(walls, env=environment, capture_output=True, check=True, timeout=HANG_GUARD + len(commands))
    return [(folder / str(number) / _MADE).exists() for number in range(len(commands))]


def _walls() -> list[str]:
    return ["bwrap", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--unshare-all", "--die-with-parent"]
