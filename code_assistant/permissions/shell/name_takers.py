"""Programs that take names of files from what they read, rather than from their words alone."""

from __future__ import annotations

import re
from collections.abc import Mapping

from code_assistant.permissions.shell.analysis import Member
from code_assistant.permissions.shell.name_lists import names

_ALWAYS = names("cpio pax xargs parallel")
_FILES0 = re.compile(r"--?f(?:i(?:l.*)?)?(?:=.*)?")
_CHECK = re.compile(r"-[a-z]*c[a-z]*|--c.*")
_ANSWER_FILE = re.compile(r"@.+")
# `gcc-12` is gcc.
_VERSION = re.compile(r"-\d[\d.]*\Z")
# With such an option; programs take long ones by their beginnings.
_WITH_OPTION: Mapping[str, re.Pattern[str]] = {
    **dict.fromkeys(names("tar bsdtar gtar"), re.compile(r"-[A-Za-z]*T.*|[A-Za-z]*T[A-Za-z]*|--files.*")),
    **dict.fromkeys(names("rsync restic rclone"), re.compile(r"--files-f.*")),
    **dict.fromkeys(names("wc sort du find"), _FILES0),
    **dict.fromkeys(names("md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum shasum"), _CHECK),
    **dict.fromkeys(names("7z 7za 7zr cc c++ gcc g++ clang clang++ ld ar javac"), _ANSWER_FILE),
    "git": re.compile(r"--pathspec-f.*|--stdin.*"),
    "ctags": re.compile(r"-L.*|--filelist.*"),
    "cscope": re.compile(r"-[A-Za-z]*i.*"),
    "ffmpeg": re.compile(r"concat(?::.*)?"),
    "file": re.compile(r"-[bhikNnr0ELsvz]*f.*|--fi.*"),
    "zip": re.compile(r"-.*@"),
    "zstd": re.compile(r"--filel.*"),
    "wget": re.compile(r"-[bcdkmnpqrvxNS]*i.*|--input-f.*"),
    "curl": re.compile(r"-[#0fgiIjklLnNOpqRsSvJ]*K.*|--conf.*"),
}


def takes_names(member: Member) -> bool:
    """Whether what it reads may tell it which files to open."""
    program = _VERSION.sub("", member.program or "")
    option = _WITH_OPTION.get(program)
    texts = (word.value or word.text for word in member.words[1:])
    return program in _ALWAYS or (option is not None and any(map(option.fullmatch, texts)))
