"""What a question is about: a small parser of plain English, which knows a few kinds of questions and no others."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, TypeAlias

from code_assistant.llm.offline import question_patterns as asking
from code_assistant.llm.offline.foreign_words import is_foreign
from code_assistant.llm.offline.languages import language_called
from code_assistant.llm.offline.names import keywords_in, looks_like_path, names_in, target_in
from code_assistant.llm.offline.size_patterns import SIZES, SizeKind

LONGEST_QUESTION = 2000


@dataclass(frozen=True, slots=True)
class Talk:
    """Something that is answered without a look at any file."""

    kind: Literal["greeting", "thanks", "help", "cannot", "unknown", "foreign"]


@dataclass(frozen=True, slots=True)
class Overview:
    pass


@dataclass(frozen=True, slots=True)
class ProjectFacts:
    """How it is run and tested, where it begins, what it needs."""


@dataclass(frozen=True, slots=True)
class Symbols:
    """Where names are defined and, where that is asked, used."""

    names: tuple[str, ...]
    used: bool = True


@dataclass(frozen=True, slots=True)
class Find:
    text: str


@dataclass(frozen=True, slots=True)
class Describe:
    """What a file, a folder, or whatever has this name, holds."""

    target: str


@dataclass(frozen=True, slots=True)
class Changes:
    pass


@dataclass(frozen=True, slots=True)
class Sizes:
    """Something that is counted, of files in one language or in all, in a folder or in all."""

    kind: SizeKind
    language: str | None = None
    folder: str = "."


@dataclass(frozen=True, slots=True)
class Topic:
    """`is_foreign` is whether the question does not look like English."""

    words: tuple[str, ...]
    is_foreign: bool = False


Intent: TypeAlias = Talk | Overview | ProjectFacts | Symbols | Find | Describe | Changes | Sizes | Topic


def intent_of(question: str) -> Intent:
    """The kind of question, by the first rule that fits."""
    asked = _normal(question)
    if not asked:
        return Talk("unknown")
    return _talk(asked) or _about_all(asked) or _about_names(asked) or _about_places(asked) or _about_topic(asked)


def _normal(question: str) -> str:
    text = " ".join(question[:LONGEST_QUESTION].split())
    text = asking.END.sub("", text.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")) or text
    return asking.POLITE.sub("", text, count=1) or text


def _talk(asked: str) -> Talk | None:
    kinds: tuple[tuple[re.Pattern[str], Literal["greeting", "thanks", "help"]], ...] = (
        (asking.GREETING, "greeting"),
        (asking.THANKS, "thanks"),
        (asking.HELP, "help"),
    )
    return next((Talk(kind) for pattern, kind in kinds if pattern.fullmatch(asked)), None)


def _about_all(asked: str) -> Intent | None:
    if asking.CANNOT.fullmatch(asked) and not asking.WRITING_AN_OVERVIEW.match(asked):
        return Talk("cannot")
    if asking.CHANGES.fullmatch(asked):
        return Changes()
    if asking.PROJECT_FACTS.fullmatch(asked):
        return ProjectFacts()
    if sizes := _sizes(asked):
        return sizes
    if asking.OVERVIEW.fullmatch(asked):
        target = target_in(asked.rpartition(" of ")[2])
        return Describe(target) if target is not None and looks_like_path(target) else Overview()
    return None


def _sizes(asked: str) -> Sizes | None:
    for kind, pattern in SIZES:
        found = pattern.fullmatch(asked)
        if found is None:
            continue
        groups = found.groupdict()
        word = groups.get("language")
        language = language_called(word) if word else None
        folder = target_in(groups.get("folder") or ".")
        if folder is not None and (language is not None or not word):
            return Sizes(kind, language, folder.rstrip("/") or folder)
    return None


def _about_names(asked: str) -> Intent | None:
    rules = ((asking.DEFINED_AND_USED, True), (asking.USED, True), (asking.DEFINED, False))
    for patterns, used in rules:
        for pattern in patterns:
            found = pattern.fullmatch(asked)
            names = names_in(found["names"]) if found else ()
            if names:
                return Symbols(names, used)
    return None


def _about_places(asked: str) -> Intent | None:
    for pattern in asking.FIND:
        if found := pattern.fullmatch(asked):
            return Find(_unquoted(found["text"]))
    if found := asking.IS_THERE.fullmatch(asked):
        # One word is looked for as it is; of several none says how exactly they are written.
        return Find(_unquoted(found["text"])) if _is_one(found["text"]) else _about_topic(asked)
    for pattern in asking.DESCRIBE:
        found = pattern.fullmatch(asked)
        target = target_in(found["target"]) if found else None
        if target is not None:
            return Describe(target)
    target = target_in(asked)
    return Describe(target) if target is not None else None


def _is_one(text: str) -> bool:
    return " " not in text or _unquoted(text) != text


def _unquoted(text: str) -> str:
    found = re.fullmatch(r"""(?:`+|["'“])(.+?)(?:`+|["'”])""", text.strip())
    return found[1] if found else text.strip()


def _about_topic(asked: str) -> Intent:
    words = keywords_in(asked)
    foreign = is_foreign(asked)
    if not words:
        return Talk("foreign" if foreign else "unknown")
    return Topic(words, foreign)
