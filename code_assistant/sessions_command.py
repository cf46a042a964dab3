"""`code-assistant sessions`: earlier sessions listed, shown, exported, searched, deleted."""

from __future__ import annotations

import argparse
import io
import json
import re
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, NoReturn, cast

from code_assistant.config.credentials import possible_secrets
from code_assistant.errors import UsageError
from code_assistant.exit_codes import ExitCode
from code_assistant.launch import say
from code_assistant.sanitize import sanitize, sanitize_line
from code_assistant.secrets import Masker
from code_assistant.session.lock import SessionInUse
from code_assistant.session.store import SessionStore
from code_assistant.session.summary import SessionSummary
from code_assistant.session_choice import session_store

SHORT_ID = 8
TITLE_WIDTH = 60
_AGE = re.compile(r"(\d{1,6})([hdw])")
_HOURS = {"h": 1, "d": 24, "w": 168}
_AGES = ((86400.0, "d"), (3600.0, "h"), (60.0, "min"))


def run_sessions(argv: Sequence[str], folder: Path, environ: Mapping[str, str]) -> int:
    """Do what the arguments behind `sessions` say; raises AssistantError for what cannot be done."""
    cast("io.TextIOWrapper[Any]", sys.stdout).reconfigure(errors="replace")
    masker = Masker(possible_secrets(environ))
    command = _Command(_parsed(argv), session_store(environ, masker), folder, masker)
    actions: dict[str, Callable[[], int]] = {
        "list": command.list,
        "show": command.show,
        "export": command.export,
        "delete": command.delete,
        "prune": command.prune,
        "search": command.search,
    }
    return actions[command.parsed.action]()


class _Command:
    def __init__(self, parsed: argparse.Namespace, store: SessionStore, folder: Path, masker: Masker) -> None:
        self.parsed = parsed
        self._store = store
        self._folder = folder
        self._masker = masker

    def list(self) -> int:
        sessions = self._store.list()
        if not self.parsed.all:
            sessions = [each for each in sessions if each.folder == str(self._folder)]
        if self.parsed.json:
            self._say_json([asdict(each) | {"is_open": self._store.is_open(each.id)} for each in sessions])
            return ExitCode.DONE
        if not sessions:
            where = "" if self.parsed.all else " in this folder; --all lists those of all folders"
            say(f"There are no sessions{where}.\n")
        self._say_lines(self._line(each) for each in sessions)
        return ExitCode.DONE

    def show(self) -> int:
        from code_assistant.exporting.writing import exported_text

        past = self._store.read(self._store.find(self.parsed.id))
        say(exported_text(past, "md", self._masker.mask_for_storage))
        return ExitCode.DONE

    def export(self) -> int:
        from code_assistant.exporting.writing import ExportError, TargetExists, export_session, exported_text

        past = self._store.read(self._store.find(self.parsed.id))
        if self.parsed.output == "-":
            say(exported_text(past, self.parsed.format, self._masker.mask_for_storage))
            return ExitCode.DONE
        target = self._folder if self.parsed.output is None else Path(self.parsed.output)
        try:
            written = export_session(
                past, self.parsed.format, target, self._masker.mask_for_storage, may_replace=self.parsed.force
            )
        except TargetExists as error:
            raise ExportError(f"{error} With --force it is written over.") from error
        self._say_lines((f"Written to {written}",))
        return ExitCode.DONE

    def delete(self) -> int:
        ids = dict.fromkeys(self._store.find(text) for text in self.parsed.ids)
        sessions = [each for each in self._store.list() if each.id in ids]
        for each in sessions:
            self._require_closed(each)
        self._ask("Delete", sessions)
        for each in sessions:
            try:
                self._store.delete(each.id)
            except SessionInUse as error:
                raise _refusal(each) from error
        say(f"Deleted {_counted(len(sessions))}.\n")
        return ExitCode.DONE

    def prune(self) -> int:
        before = time.time() - _seconds(self.parsed.older_than)
        sessions = self._store.prunable(before)
        if self.parsed.dry_run:
            self._say_lines(self._line(each) for each in sessions)
            say(f"Would delete {_counted(len(sessions))}.\n")
            return ExitCode.DONE
        if sessions:
            self._ask("Delete", sessions)
        removed = self._store.prune(before)
        say(f"Deleted {_counted(len(removed))}.\n")
        return ExitCode.DONE

    def search(self) -> int:
        from code_assistant.session.search import search

        words = " ".join(self.parsed.words)
        if not words.strip():
            raise UsageError("search takes the words to look for.")
        found = [each for group in search(self._store.folder, words, self._masker.mask_for_storage) for each in group]
        if self.parsed.json:
            self._say_json([asdict(each) for each in found])
            return ExitCode.DONE
        if not found:
            say("Nothing was found.\n")
        for each in found:
            head = f"{each.session.id[:SHORT_ID]}  {_age(each.at):>8}  {self._title(each.session)}"
            self._say_lines((head, f"    {each.who}: {each.snippet}"))
        return ExitCode.DONE

    def _require_closed(self, session: SessionSummary) -> None:
        if self._store.is_open(session.id):
            raise _refusal(session)

    def _ask(self, verb: str, sessions: Sequence[SessionSummary]) -> None:
        """Raises UsageError for a no, and where nobody can be asked."""
        if self.parsed.yes:
            return
        if not (sys.stdin and sys.stdin.isatty() and sys.stdout.isatty()):
            raise UsageError("Without a terminal nobody can be asked whether to delete. Say so with --yes.")
        self._say_lines(self._line(each) for each in sessions)
        say(f"{verb} {_counted(len(sessions))} for good? [y/N] ")
        if sys.stdin.readline().strip().lower() not in ("y", "yes"):
            raise UsageError("Nothing was deleted.")

    def _line(self, session: SessionSummary) -> str:
        mark = "  (copy)" if session.is_copy else ""
        mark += "  (open)" if self._store.is_open(session.id) else ""
        title = self._title(session)
        where = f"  {session.folder}" if getattr(self.parsed, "all", True) else ""
        return f"{session.id[:SHORT_ID]}  {_age(session.changed):>8}  {title}{where}{mark}"

    def _title(self, session: SessionSummary) -> str:
        # Masked before it is cut: half a key would not be known as one.
        title = self._masker.mask(session.title)
        return title if len(title) <= TITLE_WIDTH else f"{title[: TITLE_WIDTH - 1]}…"

    def _say_lines(self, lines: Iterable[str]) -> None:
        say("".join(f"{sanitize_line(self._masker.mask(line))}\n" for line in lines))

    def _say_json(self, value: object) -> None:
        # ASCII, DEL included: the data is exact and no terminal can be harmed by it.
        text = json.dumps(value, indent=2).replace("\x7f", "\\u007f")
        say(sanitize(self._masker.mask(text)) + "\n")


def _refusal(session: SessionSummary) -> UsageError:
    return UsageError(
        f"The session {session.id[:SHORT_ID]} is open in another program and is not deleted. Leave it there first."
    )


def _counted(count: int) -> str:
    return "1 session" if count == 1 else f"{count} sessions"


def _age(moment: float) -> str:
    """How long ago, in one unit."""
    seconds = time.time() - moment
    for size, unit in _AGES:
        if seconds >= size:
            return f"{int(seconds // size)} {unit}"
    return "now"


def _seconds(text: str) -> float:
    found = _AGE.fullmatch(text)
    if found is None:
        raise UsageError("--older-than takes a number of hours, days or weeks, such as 12h, 30d or 8w.")
    return int(found[1]) * _HOURS[found[2]] * 3600.0


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message}. See code-assistant sessions --help.")


def _parsed(argv: Sequence[str]) -> argparse.Namespace:
    given = list(argv)
    if not given or given[0] in ("--all", "--json"):
        given.insert(0, "list")
    return _parser().parse_args(given)


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="code-assistant sessions",
        description="Earlier sessions. Without an action, those of this folder are listed. "
        "An id may be shortened to a beginning that no other session has.",
        allow_abbrev=False,
    )
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    each = {name: actions.add_parser(name, help=words, allow_abbrev=False) for name, words in _HELP.items()}
    each["list"].add_argument("--all", action="store_true", help="those of every folder")
    for name in ("list", "search"):
        each[name].add_argument("--json", action="store_true", help="as JSON, for scripts")
    for name in ("show", "export"):
        each[name].add_argument("id", metavar="ID")
    _add_export(each["export"])
    each["delete"].add_argument("ids", metavar="ID", nargs="+")
    each["prune"].add_argument("--older-than", metavar="AGE", required=True, help="such as 12h, 30d or 8w")
    each["prune"].add_argument("--dry-run", action="store_true", help="only say which ones")
    for name in ("delete", "prune"):
        each[name].add_argument("--yes", action="store_true", help="do not ask")
    each["search"].add_argument("words", metavar="WORDS", nargs="+", help="all of them must occur in one entry")
    return parser


_HELP = {
    "list": "list those of this folder, the newest first",
    "show": "print one as Markdown",
    "export": "write one to a file, sub-agents folded inside",
    "delete": "delete some for good; one that is open is not deleted",
    "prune": "delete those that were not used for long",
    "search": "look for words in all of them, sub-agents included",
}


def _add_export(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--format", choices=("md", "html"), default="md", help="Markdown (default), or one HTML file")
    parser.add_argument("--output", metavar="FILE", help="the file, or a folder; - prints it")
    parser.add_argument("--force", action="store_true", help="write over a file that is there")
