"""The command line: parse it, refuse what cannot work with one clear sentence, choose the front end."""

from __future__ import annotations

import argparse
import gc
import io
import os
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Literal, NoReturn, TypeAlias, cast

from code_assistant import __version__
from code_assistant.errors import AssistantError, CredentialError, NotAvailableYet, UsageError, WorkspaceError
from code_assistant.exit_codes import ExitCode
from code_assistant.permissions.modes import PERMISSION_MODES, PermissionMode

OutputFormat: TypeAlias = Literal["text", "json", "stream-json"]

DOCTOR = "doctor"
SESSIONS = "sessions"
SESSIONS_ACTIONS = ("list", "show", "export", "delete", "prune", "search")
TRUST = "trust"
TRUST_OPTIONS = ("--remove", "--list")
LATER_COMMANDS = ("acp",)
# Which session to go on with: an id or its beginning, or one of these.
LATEST_SESSION = ""
PICKED_SESSION = "?"
_SESSION_ID_START = re.compile(r"[0-9a-fA-F-]{1,36}")
# Fingers know these from other tools.
FOREIGN_FLAGS = {
    "--verbose": "Leave it out: stream-json is always complete.",
    "--dangerously-skip-permissions": "Use --permission-mode yolo.",
    "--allowedTools": "Use --allow, once for each rule.",
    "--disallowedTools": "Use --deny, once for each rule.",
    "--append-system-prompt": "Write it into AGENTS.md.",
}
TRUST_HINT = "Name one that there is, or none for this one: code-assistant trust"
QUOTE_HINT = 'To ask, write the prompt after -p, in quotes: code-assistant -p "Explain this code"'

DESCRIPTION = "A coding assistant for the code in a folder. It reads and searches there and answers with references."
EPILOG = """\
examples:
  code-assistant                                      open the screen in this folder
  code-assistant -p "Where is the tax computed?"      answer in the terminal
  git diff | code-assistant -p "Review this change"   piped input joins the prompt
  code-assistant -p "..." --output-format json        one JSON object for scripts
  code-assistant --continue                           go on where you left off in this folder
  code-assistant sessions                             list earlier sessions; sessions --help for more
  code-assistant trust                                trust this folder; trust --help for more
  code-assistant doctor                               check the set-up

environment:
  ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN           the key; ANTHROPIC_BASE_URL for a gateway
  OPENAI_API_KEY, OPENROUTER_API_KEY                  keys for these; OPENAI_BASE_URL for whoever speaks as OpenAI does

exit codes: 0 done, 1 failed, 2 usage, 3 no key or refused key, 4 ended because something was denied, 130 interrupted
Settings are described in docs/settings.md."""


@dataclass(frozen=True, slots=True)
class Arguments:
    """What the person asked for on the command line. The prompt is empty for -p without text, None for the screen."""

    folder: Path
    prompt: str | None
    model: str | None
    output_format: OutputFormat
    include_partial_messages: bool
    max_turns: int | None
    permission_mode: PermissionMode
    allow: tuple[str, ...]
    deny: tuple[str, ...]
    extra_folders: tuple[Path, ...]
    debug: bool
    trust: bool = False
    no_sandbox: bool = False
    resume: str | None = None
    fork: bool = False
    record: Path | None = None
    replay: Path | None = None
    ask: tuple[str, ...] = ()


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        for flag, hint in FOREIGN_FLAGS.items():
            if flag in message:
                raise UsageError(f"{flag} is not an option here. {hint}")
        hint = QUOTE_HINT if message.startswith("unrecognized arguments") else "See code-assistant --help."
        raise UsageError(f"{message}. {hint}")


def run(argv: Sequence[str], environ: Mapping[str, str] = os.environ) -> int:
    """Run the program and give its exit code. Every expected failure is one message on standard error."""
    try:
        _require_output()
        if list(argv) == [DOCTOR] and not _exists(DOCTOR):
            from code_assistant.check_setup import run_doctor

            return run_doctor(_folder("."), environ)
        if _is_about_sessions(argv):
            from code_assistant.sessions_command import run_sessions

            return run_sessions(argv[1:], _folder("."), environ)
        if _is_about_trust(argv):
            from code_assistant.trust_command import run_trust

            return run_trust(argv[1:], partial(_folder, hint=TRUST_HINT), environ)
        arguments = parse(argv)
        if arguments.prompt is None:
            from code_assistant.launch import run_screen

            return run_screen(arguments, environ)
        # Until all is loaded almost nothing becomes garbage, and to look for some takes long. Then it is turned on.
        gc.disable()
        from code_assistant.one_prompt import run_prompt

        return run_prompt(arguments, environ)
    except AssistantError as error:
        _complain(error.person, environ)
        return exit_code_for(error)
    except Exception:  # noqa: BLE001 - the last place that can keep a key out of a traceback
        import traceback

        _complain(f"this is a fault of the program, please report it:\n{traceback.format_exc()}", environ)
        return ExitCode.FAILED


def _is_about_sessions(argv: Sequence[str]) -> bool:
    """A folder of that name is meant, where there is one, unless what follows could only be said of sessions."""
    if list(argv[:1]) != [SESSIONS]:
        return False
    return not _exists(SESSIONS) or list(argv[1:2]) in [[action] for action in SESSIONS_ACTIONS]


def _is_about_trust(argv: Sequence[str]) -> bool:
    """The same for trust: two paths, or one of its own options, are no folder to work in."""
    if list(argv[:1]) != [TRUST]:
        return False
    following = argv[1] if len(argv) > 1 else "-"
    return not _exists(TRUST) or following in TRUST_OPTIONS or not following.startswith("-")


def _require_output() -> None:
    """Python has None where the caller has closed a stream."""
    sys.stderr = sys.stderr or io.StringIO()
    if not sys.stdout:
        raise UsageError("Standard output is closed: the answer has nowhere to go.")


def _complain(text: str, environ: Mapping[str, str]) -> None:
    """Say on standard error what went wrong; keys and other secrets stay out of it: it may be passed on."""
    from code_assistant.config.credentials import possible_secrets
    from code_assistant.sanitize import sanitize
    from code_assistant.secrets import Masker

    sys.stderr.write(f"code-assistant: {sanitize(Masker(possible_secrets(environ)).mask_for_storage(text))}\n")


def exit_code_for(error: AssistantError) -> ExitCode:
    if isinstance(error, UsageError | WorkspaceError):
        return ExitCode.USAGE
    return ExitCode.CREDENTIAL if isinstance(error, CredentialError) else ExitCode.FAILED


def parse(argv: Sequence[str]) -> Arguments:
    parsed = _parser().parse_args(argv)
    if parsed.prompt == "" and not _exists(parsed.path):
        # Other tools have the prompt as an argument of its own, anywhere behind -p.
        parsed.prompt, parsed.path = parsed.path, "."
    folder = _folder(parsed.path)
    _check_combination(parsed)
    return Arguments(
        folder=folder,
        prompt=parsed.prompt,
        model=parsed.model.strip() if parsed.model is not None else None,
        output_format=cast("OutputFormat", parsed.output_format or "text"),
        include_partial_messages=parsed.include_partial_messages,
        max_turns=parsed.max_turns,
        permission_mode=cast("PermissionMode", parsed.permission_mode),
        allow=tuple(parsed.allow),
        ask=tuple(parsed.ask),
        deny=tuple(parsed.deny),
        extra_folders=tuple(_folder(each) for each in parsed.add_dir),
        debug=parsed.debug,
        trust=parsed.trust,
        no_sandbox=parsed.no_sandbox,
        resume=LATEST_SESSION if parsed.continue_latest else parsed.resume,
        fork=parsed.fork,
        record=None if parsed.record is None else named_file(parsed.record).absolute(),
        replay=None if parsed.replay is None else named_file(parsed.replay).absolute(),
    )


def _check_combination(parsed: argparse.Namespace) -> None:
    if parsed.prompt is None and parsed.output_format is not None:
        raise UsageError("--output-format goes with -p.")
    if parsed.prompt is None and parsed.max_turns is not None:
        raise UsageError("--max-turns goes with -p.")
    if parsed.include_partial_messages and parsed.output_format != "stream-json":
        raise UsageError("--include-partial-messages goes with --output-format stream-json.")
    if parsed.max_turns is not None and parsed.max_turns < 1:
        raise UsageError("--max-turns takes a whole number from 1.")
    if parsed.model is not None and not parsed.model.strip():
        raise UsageError("-m takes the name of a model.")
    _check_session(parsed)
    if parsed.record is not None and parsed.replay is not None:
        raise UsageError("--record and --replay do not go together.")
    if parsed.replay is not None and parsed.model is not None:
        raise UsageError("-m does not go with --replay: the model is the recorded one.")
    if "" in (parsed.record, parsed.replay):
        raise UsageError("--record and --replay take the name of a file.")


def _check_session(parsed: argparse.Namespace) -> None:
    if parsed.continue_latest and parsed.resume is not None:
        raise UsageError("--continue and --resume do not go together.")
    if parsed.fork and not parsed.continue_latest and parsed.resume is None:
        raise UsageError("--fork goes with --resume or --continue: it goes on in a copy of that session.")
    if parsed.prompt is not None and parsed.resume == PICKED_SESSION:
        raise UsageError("With -p, --resume takes the id of a session: code-assistant sessions list --all shows them.")
    if parsed.resume is not None and parsed.resume != PICKED_SESSION and not _SESSION_ID_START.fullmatch(parsed.resume):
        raise UsageError(f"{parsed.resume!r} is no id of a session: code-assistant sessions list --all shows them.")


def _folder(text: str, hint: str = QUOTE_HINT) -> Path:
    if text == DOCTOR and not _exists(text):
        raise UsageError("doctor stands by itself: code-assistant doctor")
    if text == SESSIONS and not _exists(text):
        raise UsageError("sessions comes first: code-assistant sessions --help")
    if text == TRUST and not _exists(text):
        raise UsageError("trust comes first: code-assistant trust --help")
    if text in LATER_COMMANDS and not _exists(text):
        raise NotAvailableYet(f"The command {text!r}")
    if text == "." and not _current_folder_exists():
        raise UsageError("The current folder no longer exists. Change to another one.")
    if not _exists(text):
        raise UsageError(f"There is no folder {text!r}. {hint}")
    path = Path(text).expanduser()
    if not path.is_dir():
        raise UsageError(f"{text!r} is a file. Give the folder to work in, and name the file in the prompt.")
    if not os.access(path, os.R_OK | os.X_OK):
        raise UsageError(f"The folder {text!r} may not be read. Check its permissions.")
    return path.resolve()


def named_file(text: str) -> Path:
    """What a person calls a file, with `~` for a home; raises UsageError where there is no such home."""
    try:
        return Path(text).expanduser()
    except RuntimeError as error:
        raise UsageError(f"{text!r} is in the home of a user that there is not.") from error


def _exists(text: str) -> bool:
    try:
        return Path(text).expanduser().exists()
    except (OSError, RuntimeError, ValueError):
        # No path at all: too long, or in the home of a user that there is not.
        return False


def _current_folder_exists() -> bool:
    try:
        Path.cwd()
    except FileNotFoundError:
        return False
    return True


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="code-assistant",
        description=DESCRIPTION,
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    add = parser.add_argument
    add("path", metavar="PATH", nargs="?", default=".", help="the folder to work in (default: the current one)")
    add("-p", "--print", dest="prompt", metavar="PROMPT", nargs="?", const="", help="answer one prompt and exit")
    add("-m", "--model", metavar="MODEL", help="name or alias of the model, such as sonnet, opus, haiku")
    add("--output-format", choices=("text", "json", "stream-json"), help="with -p: how the answer is printed")
    add("--include-partial-messages", action="store_true", help="with stream-json: text as it is written, too")
    add(
        "--max-turns",
        type=int,
        metavar="N",
        help="at most N requests to the model; the last must answer, without tools",
    )
    add(
        "--permission-mode",
        choices=PERMISSION_MODES,
        default="ask",
        help="ask (default): reading here is free, the rest asks, and without a screen is denied; "
        "accept-edits: edits here are free, too; plan: nothing is changed; yolo: all runs that no rule denies",
    )
    add("--allow", metavar="RULE", action="append", default=[], help="allow without asking, such as 'Bash(make test)'")
    add("--deny", metavar="RULE", action="append", default=[], help="never allow, such as 'Read(.env)'; beats --allow")
    add(
        "--ask",
        metavar="RULE",
        action="append",
        default=[],
        help="always ask, such as 'Bash(git push:*)'; beats --allow",
    )
    add(
        "--add-dir",
        metavar="DIR",
        action="append",
        default=[],
        help="a further folder to work in: what may be read, edited and written here may be there; repeatable",
    )
    add("--trust", action="store_true", help="trust the folder in this run: its settings, instructions, git")
    add("--no-sandbox", action="store_true", help="run commands without walls: they can do all that you can")
    add("--debug", action="store_true", help="write a private log file and say where it is")
    add(
        "--resume",
        metavar="ID",
        nargs="?",
        const=PICKED_SESSION,
        help="go on with an earlier session, by its id; without one, choose from a list",
    )
    add("--continue", dest="continue_latest", action="store_true", help="go on with the last session of this folder")
    add("--fork", action="store_true", help="with --resume or --continue: go on in a copy, the original stays as it is")
    add("--record", metavar="FILE", help="write all that passes between agents and models to a new, private file")
    add("--replay", metavar="FILE", help="answer from such a file, without network or key; tools do run again")
    add("--version", action="version", version=f"code-assistant {__version__}", help="print the version and exit")
    return parser
