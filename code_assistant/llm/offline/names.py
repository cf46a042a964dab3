"""The names, paths and words that a question holds."""

from __future__ import annotations

import re

from code_assistant.llm.offline.foreign_words import is_foreign, is_small_foreign_word
from code_assistant.llm.offline.stop_words import STOP_WORDS

LONGEST_NAME = 100
LONGEST_WORD = 40
LONGEST_PATH = 500
MOST_NAMES = 5
MOST_WORDS = 5

_QUOTES = "`\"'“”\N{LEFT SINGLE QUOTATION MARK}\N{RIGHT SINGLE QUOTATION MARK}"
_QUOTED = re.compile(r"""`+([^`]+)`+|"([^"]+)"|“([^”]+)”|(?<!\w)'([^']+)'(?!\w)""")
_SEPARATOR = re.compile(r"\s*(?:,|;|\band\b|\bor\b|&)\s*", re.IGNORECASE)
_KIND = (
    r"(?:class|function|method|type|struct|variable|constant|symbol|interface|enum|module|macro|trait|table|field|property"
    r"|attribute|decorator|hook|component|package|service|endpoint|route|command|option|setting|error|exception)"
)
_LEADING = re.compile(
    rf"(?:(?:the|a|an|my|our|this|that|these|those|all|is|are|named|called|{_KIND})\s+)+", re.IGNORECASE
)
_TRAILING = re.compile(
    rf"(?:\s+(?:{_KIND}|in (?:this|the) (?:project|code|code ?base|repo|repository|folder)|here|from|again))+\Z",
    re.IGNORECASE,
)
_IDENTIFIER = re.compile(
    r"[A-Za-z_$@#][\w$]*(?:(?:\.|::|->|#)[A-Za-z_$][\w$]*)*(?:\(\))?[!?]?|\.?[\w-]+(?:\.[\w-]+)+|[\w-]+"
)
_FOLDER_WORD = re.compile(
    r"(?:the\s+|my\s+|our\s+|this\s+)?(?:(?:file|folder|directory|dir|module|package)\s+)?"
    r"(?P<name>\S+)(?:\s+(?:file|folder|directory|dir|module|package))?",
    re.IGNORECASE,
)
_WORD = re.compile(r"[A-Za-z_][\w]*(?:[.-][A-Za-z_]\w*)*|[^\W\d_]{2,}")
_GLOB_SPECIAL = frozenset("*?[]{}\\!\n\r\t ")
_ENDINGS = (
    ("ies", "y"),
    ("sses", "ss"),
    ("xes", "x"),
    ("ches", "ch"),
    ("shes", "sh"),
    ("ing", ""),
    ("ed", ""),
    ("es", "e"),
    ("s", ""),
)
_SHORTEST_STEM = 3
_UNDOUBLED = re.compile(r"([bdglmnprt])\1\Z")


def clean_name(text: str) -> str:
    """A name without the quotes, articles and ends of sentences around it."""
    text = text.strip().strip(f"{_QUOTES} ,;:?!").removesuffix(".").removesuffix("()")
    return text[:LONGEST_NAME].strip()


def names_in(text: str) -> tuple[str, ...]:
    """The names that a part of a question lists; none where it holds words rather than names."""
    found = [next(filter(None, match.groups())) for match in _QUOTED.finditer(text)]
    if not found:
        found = [_bare(part) for part in _SEPARATOR.split(text)]
        if not all(_IDENTIFIER.fullmatch(part) for part in found if part):
            return ()
    names = (clean_name(each) for each in found)
    return tuple(dict.fromkeys(name for name in names if name and name not in STOP_WORDS))[:MOST_NAMES]


def _bare(text: str) -> str:
    return _TRAILING.sub("", _LEADING.sub("", f"{text.strip()} ", count=1).strip() or text.strip())


def is_plain_name(text: str) -> bool:
    """Whether a text can stand in a glob pattern for itself."""
    return (
        bool(text)
        and len(text) <= LONGEST_NAME
        and not _GLOB_SPECIAL.intersection(text)
        and ".." not in text.split("/")
    )


def looks_like_path(text: str) -> bool:
    """Whether a word can hardly be anything but a path."""
    return "/" in text or re.search(r"\w\.[A-Za-z]\w{0,9}\Z", text) is not None or text in (".", "..")


def target_in(text: str) -> str | None:
    """The one file, folder or name that a part of a question is about; None where it is several words."""
    quoted = [next(filter(None, match.groups())) for match in _QUOTED.finditer(text)]
    if len(quoted) == 1:
        return quoted[0].strip()[:LONGEST_PATH] or None
    paths = [word for word in re.split(r"[\s,]+", text) if looks_like_path(_path(word))]
    if len(paths) == 1:
        return _path(paths[0])
    bare = _bare(text)
    found = _FOLDER_WORD.fullmatch(bare) or _FOLDER_WORD.fullmatch(text.strip())
    if found is None or found["name"].lower() in STOP_WORDS:
        return None
    path = _path(found["name"])
    is_folder = re.search(r"\b(?:folder|directory|dir)\b", text, re.IGNORECASE) is not None
    return (f"{path}/" if is_folder and not path.endswith("/") else path) if path else None


def _path(word: str) -> str:
    word = word.strip(f"{_QUOTES}(),;?!").removeprefix("@").strip("\"'")
    return (word if word in (".", "..") else word.rstrip(".:"))[:LONGEST_PATH]


def keywords_in(question: str) -> tuple[str, ...]:
    """The words of a question that may stand in code, each reduced to what its forms have in common."""
    quoted = [next(filter(None, match.groups())) for match in _QUOTED.finditer(question)]
    rest = _QUOTED.sub(" ", question)
    words = [word for word in _WORD.findall(rest) if word.lower() not in STOP_WORDS and len(word) > 1]
    if is_foreign(question):
        words = [word for word in words if not is_small_foreign_word(word)]
    stems = [stem[:LONGEST_WORD] for stem in (*map(clean_name, quoted), *map(_stem, words))]
    return tuple(dict.fromkeys(stem for stem in stems if len(stem) > 1))[:MOST_WORDS]


def _stem(word: str) -> str:
    if not word.islower() or not word.isascii():
        return word
    for ending, instead in _ENDINGS:
        if (
            word.endswith(ending)
            and len(word) - len(ending) + len(instead) >= _SHORTEST_STEM
            and not word.endswith("ss")
        ):
            stem = f"{word.removesuffix(ending)}{instead}"
            return _of_verb(stem) if ending in ("ing", "ed") else stem
    return word


def _of_verb(stem: str) -> str:
    """`cancell` is from cancel, and `nam` from name; `logg` stays, because it begins logger and logging alike."""
    single = _UNDOUBLED.sub(r"\1", stem)
    if single != stem:
        return single if len(single) > _SHORTEST_STEM else stem
    return stem if len(stem) > _SHORTEST_STEM else f"{stem}e"
