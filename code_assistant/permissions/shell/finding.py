"""What `find` and its like come upon, as far as their words tell: everything, what has certain names, or some of it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from code_assistant.permissions.shell.analysis import Member, Word
from code_assistant.permissions.shell.name_filters import NameFilter, shell_pattern
from code_assistant.permissions.shell.name_lists import names

# They hand on what they find to what they start.
FINDERS = names("find fd fdfind")
_OR = names("-o -or ,")
_NOT = names("! -not")
_BETWEEN = names("( ) -a -and")
_NAMES = names("-name -iname")
_PATHS = names("-path -wholename -ipath -iwholename")
_WIDE = names("-depth -d -xdev -mount -noleaf -follow -daystart -true")
_WIDE_WITH_VALUE = names("-type -maxdepth -mindepth")
_NARROW = names("-empty -executable -readable -writable -nouser -nogroup -prune -quit -false")
_NARROW_WITH_VALUE = names(
    "-mtime -atime -ctime -mmin -amin -cmin -newer -anewer -cnewer -size -user -group -uid -gid -perm -links -inum "
    "-fstype -regex -iregex -regextype -samefile -lname -ilname -used -xtype -newermt -newerct -newerat"
)
_SHOWING = names("-print -print0 -ls -delete")
_STARTING = names("-exec -execdir -ok -okdir")
_WRITING = {"-fprint": 1, "-fprint0": 1, "-fls": 1, "-fprintf": 2}
_GLOBAL_OPTION = re.compile(r"-[HLP]+|-O\d*")
# Where the folders end and the expression begins.
_BEGINS = re.compile(r"-|[(!]\Z")
_FD_STARTS = re.compile(r"-[A-Za-z]*[xX]|--exec(?:-batch)?")


@dataclass(frozen=True, slots=True)
class Finding:
    """`starts` are the folders that it looks through, none for the one it runs in; `written` are files of its own.

    It finds what `only` means; without that, all that is there, or some of it if it `is_partial`.
    """

    starts: tuple[Word, ...] = ()
    written: tuple[Word, ...] = ()
    only: NameFilter | None = None
    is_partial: bool = False
    deletes: bool = False


def finding_of(member: Member) -> Finding:
    if member.program != "find":
        return _of_fd(member.words[1:])
    words = list(member.words[1:])
    while words and _GLOBAL_OPTION.fullmatch(_text(words[0])):
        words.pop(0)
    count = next((at for at, word in enumerate(words) if _BEGINS.match(_text(word))), len(words))
    starts, tests = tuple(words[:count]), words[count:]
    written = tuple(word for before, word in pairwise(tests) if before.value in _WRITING)
    found = Finding(starts, written, deletes=any(word.value == "-delete" for word in tests))
    expression = _Tests()
    is_understood = expression.read(tests)
    if is_understood and expression.is_every_named:
        named = tuple(pattern for part in expression.deciding for pattern in part.names)
        paths = tuple(pattern for part in expression.deciding for pattern in part.paths)
        if not paths or all(word.value is not None for word in starts):
            return replace(found, only=NameFilter(named, paths, tuple(map(_text, starts)) or (".",)))
    is_partial = not expression.acts_on_all and (expression.is_narrow or not is_understood)
    return replace(found, is_partial=is_partial)


def _of_fd(words: Sequence[Word]) -> Finding:
    """What it looks for comes before where; without either it finds whatever there is."""
    own = next((at for at, word in enumerate(words) if _FD_STARTS.fullmatch(_text(word))), len(words))
    return Finding(tuple(words[:own]), is_partial=own > 0)


def _text(word: Word) -> str:
    return word.text if word.value is None else word.value


@dataclass(slots=True)
class _Part:
    """What stands between two "or". It `is_loose` when something is done before a name is asked for."""

    names: list[re.Pattern[str]] = field(default_factory=list[re.Pattern[str]])
    paths: list[re.Pattern[str]] = field(default_factory=list[re.Pattern[str]])
    acts: bool = False
    is_loose: bool = False

    @property
    def is_named(self) -> bool:
        return bool(self.names or self.paths)


@dataclass(slots=True)
class _Tests:
    """The expression of find, in one pass."""

    parts: list[_Part] = field(default_factory=lambda: [_Part()])
    is_narrow: bool = False
    is_grouped: bool = False
    acts_on_all: bool = False

    @property
    def deciding(self) -> list[_Part]:
        """The parts that say what is found: what does nothing only keeps others from it, unless it is in brackets."""
        acting = [part for part in self.parts if part.acts]
        return self.parts if self.is_grouped or not acting else acting

    @property
    def is_every_named(self) -> bool:
        return all(part.is_named and not part.is_loose for part in self.deciding)

    def read(self, words: Sequence[Word]) -> bool:
        """False for what is not understood."""
        at = 0
        while at < len(words):
            is_negated = words[at].value in _NOT
            at += is_negated
            if at == len(words) or (is_negated and words[at].value == "("):
                return False
            taken = self._take(words[at:], is_negated=is_negated)
            if taken is None:
                return False
            at += taken
        return True

    def _take(self, words: Sequence[Word], *, is_negated: bool) -> int | None:
        """How many words belong to what comes next; None if that is not understood."""
        text = words[0].value or ""
        self.is_narrow = self.is_narrow or is_negated
        self.is_grouped = self.is_grouped or text == "("
        if text in _OR:
            self.parts.append(_Part())
        elif text in _NAMES or text in _PATHS:
            return self._take_name(text, words[1:2], is_negated=is_negated)
        elif text in _WIDE_WITH_VALUE or text in _NARROW_WITH_VALUE:
            self.is_narrow = self.is_narrow or text in _NARROW_WITH_VALUE
            return 2
        elif text in _NARROW:
            self.is_narrow = True
        elif text not in _BETWEEN and text not in _WIDE:
            return self._take_action(text, words)
        return 1

    def _take_name(self, text: str, values: Sequence[Word], *, is_negated: bool) -> int | None:
        value = values[0].value if values else None
        if value is None:
            return None
        self.is_narrow = True
        if not is_negated:
            patterns = self.parts[-1].names if text in _NAMES else self.parts[-1].paths
            patterns.append(shell_pattern(value, ignores_case=text.startswith("-i")))
        return 2

    def _take_action(self, text: str, words: Sequence[Word]) -> int | None:
        part = self.parts[-1]
        part.acts, part.is_loose = True, part.is_loose or not part.is_named
        self.acts_on_all = self.acts_on_all or not self.is_narrow
        if text in _SHOWING:
            return 1
        if text in _WRITING:
            return 1 + _WRITING[text]
        if text not in _STARTING:
            return None
        values = [word.value for word in words]
        ends = (at for at, value in enumerate(values) if value == ";" or (value == "+" and values[at - 1] == "{}"))
        end = next(ends, None)
        return None if end is None else end + 1
