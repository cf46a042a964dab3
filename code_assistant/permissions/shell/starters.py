"""Programs that start others, as data: which of their words are the other's."""

from __future__ import annotations

from dataclasses import dataclass

from code_assistant.permissions.shell.name_lists import names


@dataclass(frozen=True, slots=True)
class Starter:
    """How to find what a program starts.

    `values` are its options that take the next word, `operands` how many words of its own come before the other's,
    `takes_assignments` when `NAME=value` may stand before it, `is_text` when its words are joined and read by a shell,
    `text_options` are followed by a text that a shell reads, `until` are options after which a command stands, `only`
    are options with such a text where nothing else is started, `first` is what its first word must be for it to start
    anything.
    """

    values: frozenset[str] = frozenset()
    operands: int = 0
    takes_assignments: bool = False
    is_text: bool = False
    text_options: frozenset[str] = frozenset()
    until: frozenset[str] = frozenset()
    only: frozenset[str] = frozenset()
    first: frozenset[str] = frozenset()
    is_obstacle: bool = True


def _starter(
    values: str = "",
    *,
    operands: int = 0,
    assignments: bool = False,
    is_text: bool = False,
    texts: str = "",
    until: str = "",
    only: str = "",
    first: str = "",
    is_obstacle: bool = True,
) -> Starter:
    return Starter(
        values=names(values),
        operands=operands,
        takes_assignments=assignments,
        is_text=is_text,
        text_options=names(texts),
        until=names(until),
        only=names(only),
        first=names(first),
        is_obstacle=is_obstacle,
    )


# They change nothing about what they start: rules and proofs look at that alone. Flags, and options with a value.
WRAPPERS: dict[str, tuple[frozenset[str], frozenset[str], int]] = {
    "time": (frozenset({"-p"}), frozenset(), 0),
    "nohup": (frozenset(), frozenset(), 0),
    "timeout": (
        frozenset({"-v", "--verbose", "--foreground", "--preserve-status"}),
        frozenset({"-s", "--signal", "-k", "--kill-after"}),
        1,
    ),
    "nice": (frozenset(), frozenset({"-n", "--adjustment"}), 0),
    "stdbuf": (frozenset(), frozenset({"-i", "-o", "-e", "--input", "--output", "--error"}), 0),
}

SHELLS = frozenset(["bash", "sh", "zsh", "dash", "ksh", "mksh", "fish", "ash", "rbash", "csh", "tcsh", "pwsh"])

# They run what they are told or given to read, though they are no programs of their own.
READING_COMMANDS = SHELLS | {"eval", "source", ".", "at", "batch"}

# They are often given the names of programs, and start none of them.
STARTING_NOTHING = names(
    "aptitude dnf yum rpm pacman apk brew snap pip pip3 gem gh systemctl"
    " info whatis apropos type whereis help mkdir rmdir touch"
    " cp mv ln rm chmod chown chgrp kill pkill killall pgrep export unset"
)

GIT_OPTIONS_WITH_VALUE = names(
    "-C -c --git-dir --work-tree --namespace --exec-path --config-env --super-prefix --attr-source"
)

_CONTAINER_VALUES = "-e -v -w -u -p --name --env --volume --workdir --user --network"

_TAR_OPTIONS = (
    "-I -F --use-compress-program --to-command --checkpoint-action --info-script --new-volume-script --rsh-command"
)

STARTERS: dict[str, Starter] = {
    "sudo": _starter("-u -g -h -p -C -T -r -t -D -R -U --user --group --prompt --chdir", assignments=True),
    "doas": _starter("-u -C"),
    "pkexec": _starter("--user"),
    "run0": _starter("-u --user"),
    "env": _starter("-u -C --unset --chdir", assignments=True, texts="-S --split-string"),
    "xargs": _starter("-I -n -P -L -d -E -s -a --max-args --max-procs --max-lines --delimiter --arg-file --replace"),
    "exec": _starter("-a"),
    "command": _starter(),
    "builtin": _starter(),
    "coproc": _starter(),
    "eval": _starter(is_text=True),
    "trap": _starter(is_text=True),
    "source": _starter(is_text=True),
    ".": _starter(is_text=True),
    "ssh": _starter("-p -i -l -o -F -J -L -R -D -b -c -E -e -I -m -O -Q -S -W -w", operands=1, is_text=True),
    "watch": _starter("-n --interval", is_text=True),
    "parallel": _starter("-j --jobs -a --arg-file --colsep -I -N -n", is_text=True),
    "setsid": _starter(),
    "script": _starter("-t -o -E", texts="-c --command"),
    "su": _starter("-s -g -G -w --shell --group", texts="-c --command"),
    "runuser": _starter("-u -g -G -s", texts="-c --command"),
    "chroot": _starter("--userspec --groups", operands=1),
    "busybox": _starter(),
    "toybox": _starter(),
    "unshare": _starter("-R -w -S -G"),
    "nsenter": _starter("-t -S -G --target"),
    "bwrap": _starter("--bind --ro-bind --chdir --setenv"),
    "ionice": _starter("-c -n -p --class --classdata"),
    "chrt": _starter(operands=1),
    "taskset": _starter(operands=1),
    "flock": _starter("-w -E --timeout", operands=1, texts="-c --command"),
    "prlimit": _starter(),
    "setarch": _starter(),
    "systemd-run": _starter("-p -u --unit --property"),
    "strace": _starter("-o -e -p -s -E -u -P"),
    "ltrace": _starter("-o -e -p -s -u"),
    "gdb": _starter("-ex -x"),
    "valgrind": _starter(),
    "perf": _starter("-e -o -F", operands=1),
    "at": _starter(),
    "batch": _starter(),
    "entr": _starter(),
    "dbus-run-session": _starter(),
    "fakeroot": _starter(),
    "xvfb-run": _starter(),
    "firejail": _starter(),
    "proxychains": _starter(),
    "proxychains4": _starter(),
    "torsocks": _starter(),
    "tmux": _starter(),
    "screen": _starter(),
    "expect": _starter(),
    "socat": _starter(),
    "ld.so": _starter(),
    "ld-linux.so.2": _starter(),
    "ld-linux-x86-64.so.2": _starter(),
    "ld-linux-aarch64.so.1": _starter(),
    **dict.fromkeys(names("linux32 linux64 uname26 i386 i486 i586 i686 athlon x86_64"), _starter()),
    "setpriv": _starter(),
    "capsh": _starter(),
    "numactl": _starter(),
    "cgexec": _starter(),
    "unbuffer": _starter(),
    "catchsegv": _starter(),
    "sg": _starter(),
    "choom": _starter("-n -p"),
    "uclampset": _starter("-m -M -p"),
    "runcon": _starter("-t -u -r -l", operands=1),
    "ssh-agent": _starter("-a -t"),
    "start-stop-daemon": _starter(),
    "chronic": _starter(),
    "eatmydata": _starter(),
    "rlwrap": _starter(),
    "tini": _starter(),
    "gosu": _starter(operands=1),
    "su-exec": _starter(operands=1),
    "caffeinate": _starter(),
    # From then on another word is that program.
    "hash": _starter(only="-p"),
    "alias": _starter(),
    **dict.fromkeys(names("tar bsdtar gtar"), _starter(only=_TAR_OPTIONS)),
    "split": _starter(only="--filter"),
    "sort": _starter(only="--compress-program"),
    "rsync": _starter(only="-e --rsh --rsync-path"),
    "zip": _starter(only="-TT --unzip-command"),
    "man": _starter(only="-P --pager -H --html"),
    "find": _starter(until="-exec -execdir -ok -okdir"),
    "fd": _starter(until="-x --exec -X --exec-batch"),
    "fdfind": _starter(until="-x --exec -X --exec-batch"),
    # A person may well allow these; what they start is still looked at by rules that deny.
    **dict.fromkeys(names("scp sftp slogin"), _starter(only="-S -o -D", is_obstacle=False)),
    **dict.fromkeys(names("apt apt-get"), _starter(only="-o --option", is_obstacle=False)),
    **dict.fromkeys(names("bat batcat delta mysql mariadb"), _starter(only="--pager", is_obstacle=False)),
    **dict.fromkeys(names("rclone restic"), _starter(only="--password-command", is_obstacle=False)),
    "dpkg": _starter(only="--pre-invoke --post-invoke", is_obstacle=False),
    "rg": _starter(only="--pre --hostname-bin", is_obstacle=False),
    "fzf": _starter(only="--preview --bind", is_obstacle=False),
    "svn": _starter(only="--diff-cmd --diff3-cmd --merge-cmd --editor-cmd", is_obstacle=False),
    "hg": _starter(only="--config", is_obstacle=False),
    "tcpdump": _starter(only="-z", is_obstacle=False),
    "nodemon": _starter(only="-x --exec", is_obstacle=False),
    "npx": _starter("-p --package -c --call", is_obstacle=False),
    "bunx": _starter(is_obstacle=False),
    "pnpx": _starter(is_obstacle=False),
    "uvx": _starter("--from --with -p --python", is_obstacle=False),
    "pipx": _starter("--spec", first="run", is_obstacle=False),
    "uv": _starter("--with -p --python --project --directory", first="run", is_obstacle=False),
    "poetry": _starter("-C --directory", first="run", is_obstacle=False),
    "pdm": _starter("-p", first="run", is_obstacle=False),
    "pipenv": _starter(first="run", is_obstacle=False),
    "rye": _starter(first="run", is_obstacle=False),
    "hatch": _starter("-e", first="run", is_obstacle=False),
    "bundle": _starter(first="exec", is_obstacle=False),
    "pnpm": _starter("-C --filter", first="exec dlx", is_obstacle=False),
    "yarn": _starter(first="exec dlx", is_obstacle=False),
    "npm": _starter("-w", first="exec x", is_obstacle=False),
    "conda": _starter("-n -p", first="run", is_obstacle=False),
    "docker": _starter(_CONTAINER_VALUES, first="run exec", operands=1, is_obstacle=False),
    "podman": _starter(_CONTAINER_VALUES, first="run exec", operands=1, is_obstacle=False),
    "docker-compose": _starter(_CONTAINER_VALUES, first="run exec", operands=1, is_obstacle=False),
    "kubectl": _starter(first="exec run debug", is_obstacle=False),
    "nerdctl": _starter(first="run exec", is_obstacle=False),
    "dotenv": _starter("-f -e", is_obstacle=False),
    "hyperfine": _starter(is_obstacle=False),
    **dict.fromkeys(names("pyenv rbenv nodenv asdf mise"), _starter(first="exec x", is_obstacle=False)),
    "nix": _starter(is_obstacle=False),
    "nix-shell": _starter(is_obstacle=False),
    "direnv": _starter(first="exec", operands=1, is_obstacle=False),
    "doppler": _starter(first="run", is_obstacle=False),
    "cross-env": _starter(assignments=True, is_obstacle=False),
}

# What git's own commands start, besides settings.
GIT_STARTERS: dict[str, Starter] = {
    "grep": _starter(only="-O --open-files-in-pager"),
    "difftool": _starter(only="-x --extcmd"),
    "rebase": _starter(only="-x --exec"),
    "clone": _starter(only="-u --upload-pack"),
    **dict.fromkeys(names("fetch pull fetch-pack"), _starter(only="--upload-pack --exec")),
    "ls-remote": _starter(only="--upload-pack --exec"),
    **dict.fromkeys(names("push send-pack"), _starter(only="--receive-pack --exec")),
    "archive": _starter(only="--exec"),
    "send-email": _starter(only="--to-cmd --cc-cmd --header-cmd --sendmail-cmd --smtp-server"),
    "daemon": _starter(only="--access-hook"),
    "instaweb": _starter(only="-d --httpd -b --browser"),
    "bisect": _starter(first="run"),
    "submodule": _starter(first="foreach"),
    **dict.fromkeys(names("filter-branch for-each-repo hook web--browse"), _starter()),
}

# They start nothing that they are given, besides the above; others may be aliases of somebody.
GIT_COMMANDS = GIT_STARTERS.keys() | names(
    "add am annotate apply blame branch bundle cat-file check-attr check-ignore check-ref-format checkout"
    " checkout-index cherry cherry-pick clean commit commit-graph commit-tree config count-objects credential"
    " describe diff diff-files diff-index diff-tree fast-export fast-import for-each-ref format-patch fsck gc"
    " get-tar-commit-id hash-object help index-pack init interpret-trailers log ls-files ls-tree mailinfo mailsplit"
    " maintenance merge merge-base merge-file merge-index merge-tree mergetool mktag mktree multi-pack-index mv"
    " name-rev notes pack-objects pack-refs prune range-diff read-tree reflog remote repack replace request-pull"
    " rerere reset restore rev-list rev-parse revert rm shortlog show show-branch show-ref sparse-checkout stage"
    " stash status stripspace switch symbolic-ref tag unpack-objects update-index update-ref var verify-commit"
    " verify-pack verify-tag version whatchanged worktree write-tree"
)
