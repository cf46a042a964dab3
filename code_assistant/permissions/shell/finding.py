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
    while words and _GLOBAL_OPTION.fullmatch(words[0].text):
        words.pop(0)
    count = next((at for at, word in enumerate(words) if word.text[:1] == "-" or word.value in ("(", "!")), len(words))
    starts, tests = tuple(words[:count]), words[count:]
    written = tuple(word for before, word in pairwise(tests) if before.value in _WRITING)
    found = Finding(starts, written, deletes=any(word.value == "-delete" for word in tests))
    search = _Tests()
    is_understood = search.read(tests)
    if is_understood and search.is_every_named and not (search.paths and any(word.value is None for word in starts)):
        texts = tuple(word.text if word.value is None else word.value for word in starts)
        return replace(found, only=NameFilter(tuple(search.names), tuple(search.paths), texts or (".",)))
    return replace(found, is_partial=not search.acts_on_all and (search.is_narrow or not is_understood))


def _of_fd(words: Sequence[Word]) -> Finding:
    """What it looks for comes before where; without either it finds whatever there is."""
    own = next((at for at, word in enumerate(words) if _FD_STARTS.fullmatch(word.text)), len(words))
    return Finding(tuple(words[:own]), is_partial=own > 0)


@dataclass(slots=True)
class _Tests:
    """The expression of find, in one pass. Parts of it between "or" must each ask for a name before they act."""

    names: list[re.Pattern[str]] = field(default_factory=list[re.Pattern[str]])
    paths: list[re.Pattern[str]] = field(default_factory=list[re.Pattern[str]])
    is_narrow: bool = False
    is_every_named: bool = True
    acts_on_all: bool = False
    _is_named: bool = False

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
        self._end_part()
        return True

    def _take(self, words: Sequence[Word], *, is_negated: bool) -> int | None:
        """How many words belong to what comes next; None if that is not understood."""
        text = words[0].value or ""
        self.is_narrow = self.is_narrow or is_negated
        if text in _OR:
            self._end_part()
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
            patterns = self.names if text in _NAMES else self.paths
            patterns.append(shell_pattern(value, ignores_case=text.startswith("-i")))
            self._is_named = True
        return 2

    def _take_action(self, text: str, words: Sequence[Word]) -> int | None:
        self.is_every_named = self.is_every_named and self._is_named
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

    def _end_part(self) -> None:
        self.is_every_named = self.is_every_named and self._is_named
        self._is_named = False
