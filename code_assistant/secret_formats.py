"""Secrets that are known by their form, whoever they belong to, masked in what is written down or leaves the program.

Each pattern begins with fixed characters and looks back from there, because that is what `re` finds fastest. What a
pattern runs over cannot stand before its beginning, so that no text takes more than linear time.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from code_assistant.secret_values import has_variety, is_random, is_url_password
from code_assistant.secret_words import mask_assignments

# No secret is a shorter word, but for passwords in addresses.
SHORTEST = 16
MAXIMUM_KEY_BLOCK = 16_384


@dataclass(frozen=True, slots=True)
class SecretFormat:
    """Only text that holds a marker is searched. What `secret` names in the pattern, else all of it, is replaced if it
    is judged to be one.
    """

    name: str
    markers: tuple[str, ...]
    pattern: str
    judged: Callable[[str], bool]
    is_token: bool = False


# Nothing that a name could be made of; an escape of JSON, of an address or of a colour is no such thing.
ALONE = r"(?<![A-Za-z0-9_-])|(?<=[\[;0-9]m)|(?<=\\[bfnrt])|(?<=\\u[0-9a-f]{4})|(?<=%[0-9A-F]{2})"


def _token(
    name: str,
    beginning: str,
    rest: str,
    judged: Callable[[str], bool] = has_variety,
    markers: tuple[str, ...] = (),
) -> SecretFormat:
    """One that is a single word. Markers are needed where the beginning is too common to look for."""
    pattern = f"{beginning}{_alone(beginning)}(?:{rest})"
    return SecretFormat(name, markers or (beginning,), pattern, judged, is_token=True)


def _alone(beginning: str) -> str:
    """The same, seen from behind the beginning."""
    return f"(?:{ALONE.replace(')', f'{beginning})')})"


BEARER = r"(?:earer|EARER)[ \t]{1,8}"
# Any key may follow, also one that is masked as a whole later: no end of it may be left.
BEARER_CHARACTER = r"""[^\s"'`\\<>\[\],;]"""
URL_USER = r"""://[^\s/:@"'`\\<>?#\[\]]{0,64}+:"""
_URL64 = "[A-Za-z0-9_-]"
_NO_MORE = "(?![A-Za-z0-9_])"
_NEW_LINE = r"[ \t]{0,16}(?:\r?\n|\\++[nr](?:\\++n)?)[ \t]{0,64}[+-]?"
_BLOCK_BODY = rf"(?:[A-Za-z0-9+/=:,. \t\r\n]|-(?!----)|\\++[nrt]){{0,{MAXIMUM_KEY_BLOCK}}}+"
_BLOCK_NAME = r"(?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?"
# A block without an end was cut: then only lines that look like its content belong to it.
_KEY_BLOCK = (
    rf"-----BEGIN {_BLOCK_NAME}-----"
    rf"(?:{_BLOCK_BODY}-?-----END {_BLOCK_NAME}-----|(?:{_NEW_LINE}[A-Za-z0-9+/=]{{20,100}}+){{1,200}}+)"
)
_BLOCK_CONTENT = re.compile(r"[A-Za-z0-9+/]{20}")
_OPEN_BLOCK = re.compile(
    rf"-----BEGIN(?:[A-Z0-9 ]{{0,80}}-{{0,4}}| {_BLOCK_NAME}-----{_BLOCK_BODY}\\*"
    r"-{0,6}(?:E|EN|END[A-Z0-9 ]{0,80}-{0,4})?)"
)


def _is_key_block(text: str) -> bool:
    return _BLOCK_CONTENT.search(text) is not None


def _is_without_doubt(_text: str) -> bool:
    return True


def _is_random_after_prefix(text: str) -> bool:
    """Styles of web pages begin with `sk-`, too."""
    return is_random(text.removeprefix("sk-"))


FORMATS: tuple[SecretFormat, ...] = (
    SecretFormat("private key", ("PRIVATE KEY",), _KEY_BLOCK, _is_key_block),
    _token("Anthropic key", "sk-ant-", _URL64 + "{20,}+"),
    _token("OpenRouter key", "sk-or-", _URL64 + "{20,}+"),
    _token("OpenAI key", "sk-", rf"(?:proj|svcacct|admin)-{_URL64}{{20,}}+"),
    _token("OpenAI key", "sk-", _URL64 + "{20,}+", _is_random_after_prefix),
    _token("GitHub token", "gh", "[pousr]_[A-Za-z0-9_]{30,}+", markers=("ghp_", "gho_", "ghu_", "ghs_", "ghr_")),
    _token("GitHub token", "github_pat_", "[A-Za-z0-9_]{22,}+"),
    _token("GitLab token", "glpat-", "[A-Za-z0-9_.-]{19,}[A-Za-z0-9_-]"),
    _token("AWS key id", "AKIA", "[A-Z0-9]{16}" + _NO_MORE, _is_without_doubt),
    _token("AWS key id", "ASIA", "[A-Z0-9]{16}" + _NO_MORE, _is_without_doubt),
    _token("Google key", "AIza", _URL64 + "{35}(?![A-Za-z0-9_-])"),
    _token("Slack token", "xox", "[abeoprs]-[A-Za-z0-9-]{11,}+"),
    _token("Stripe key", "sk_", "(?:live|test)_[A-Za-z0-9]{16,}+" + _NO_MORE, markers=("sk_live_", "sk_test_")),
    _token("Stripe key", "rk_", "(?:live|test)_[A-Za-z0-9]{16,}+" + _NO_MORE, markers=("rk_live_", "rk_test_")),
    _token("npm token", "npm_", "[A-Za-z0-9]{36}" + _NO_MORE),
    _token("PyPI token", "pypi-", _URL64 + "{50,}+"),
    _token("Hugging Face token", "hf_", "[A-Za-z0-9]{30,}+" + _NO_MORE),
    _token("JSON web token", "eyJ", rf"{_URL64}{{10,}}+\.eyJ{_URL64}{{4,}}+\.{_URL64}{{10,}}+", _is_without_doubt),
    SecretFormat(
        "bearer token",
        ("earer ", "EARER ", "earer\t"),
        BEARER + f"(?P<secret>{BEARER_CHARACTER}{{16,}}+)",
        is_random,
    ),
    SecretFormat(
        "password",
        ("://",),
        URL_USER + r"""(?P<secret>[^\s/:"'`\\<>\[\]]{1,256})@(?=[\w\[%])""",
        is_url_password,
    ),
)
TOKEN_BEGINNINGS = tuple(marker for each in FORMATS if each.is_token for marker in each.markers)
_BY_MARKER = tuple((marker, each) for each in FORMATS for marker in each.markers)


def mask_formats(text: str) -> str:
    """The text with `[… removed]` in the place of every secret whose form is known."""
    if "://" not in text and max(map(len, text.split()), default=0) < SHORTEST:
        return text
    for marker, form in _BY_MARKER:
        if marker in text:
            text = _compiled(form.pattern).sub(_replacing(form), text)
    return mask_assignments(text)


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    # Most runs meet few of them or none, and compiling all takes longer than the first frame should wait.
    return re.compile(pattern)


@cache
def _replacing(form: SecretFormat) -> Callable[[re.Match[str]], str]:
    mask = f"[{form.name} removed]"

    def replaced(match: re.Match[str]) -> str:
        group = "secret" if "secret" in match.re.groupindex else 0
        secret, whole = match[group], match[0]
        if not form.judged(secret):
            return whole
        start = match.start(group) - match.start()
        return f"{whole[:start]}{mask}{whole[start + len(secret) :]}"

    return replaced


def open_block(text: str) -> int | None:
    """Where a private key begins that the end of the text may still be within."""
    start = text.rfind("-----BEGIN")
    return start if start >= 0 and _OPEN_BLOCK.fullmatch(text, start) else None
