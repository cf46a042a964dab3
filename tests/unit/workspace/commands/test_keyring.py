"""Keys that the kernel keeps for the person's session are not there for commands."""

from __future__ import annotations

import ctypes
import errno
import os
import shlex
import sys

import pytest

from code_assistant.workspace.commands.supervision import keyring
from code_assistant.workspace.commands.supervision.descendants import LIBRARY
from code_assistant.workspace.commands.supervision.keyring import JOIN_SESSION_KEYRING, NUMBERS, leave_session_keyring
from tests.rows import each_row
from tests.unit.workspace.commands.support import Engine, change_supervision

SECRET = b"hush-0815"
NAME = b"code-assistant-test"
# In the order of the system calls' arguments.
PROGRAM = """
import ctypes, sys
library = ctypes.CDLL(None, use_errno=True)
number, session = int(sys.argv[1]), ctypes.c_long(-3)
key = library.syscall(number, 10, session, b"user", b"%s", 0)
content = ctypes.create_string_buffer(64)
library.syscall(number, 11, key, content, 64)
print("found" if key > 0 else "nothing", content.value.decode())
"""


def keep_in_session() -> int:
    """A key in a session keyring of this process and of those that it starts; the number of the system call."""
    keyctl = NUMBERS.get(os.uname().machine)
    if keyctl is None or LIBRARY.syscall(keyctl, JOIN_SESSION_KEYRING, None) < 0:
        pytest.skip(f"no keyrings of the kernel here: {os.strerror(ctypes.get_errno())}")
    # On all these machines add_key is the second before it.
    add_key = {219: 217, 250: 248, 271: 269, 280: 278}[keyctl]
    assert LIBRARY.syscall(add_key, b"user", NAME, SECRET, len(SECRET), ctypes.c_long(-3)) > 0
    return keyctl


def reading(keyctl: int) -> str:
    return shlex.join([sys.executable, "-I", "-S", "-c", PROGRAM % NAME.decode(), str(keyctl)])


async def test_safe_s5_keys_of_the_session_are_not_there_for_commands(engine: Engine) -> None:
    assert await engine.text(reading(keep_in_session())) == "nothing \n"


async def test_a_key_that_is_there_would_be_read(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without what keeps it away, so that the test above is known to look for the right thing."""
    change_supervision(monkeypatch, "keeper.leave_session_keyring = lambda: None")
    assert await engine.text(reading(keep_in_session())) == f"found {SECRET.decode()}\n"


@each_row(("code", "runs"), [(errno.ENOSYS, True), (errno.EPERM, True), (errno.EDQUOT, False)])
def test_safe_s5_nothing_runs_with_the_keys_that_it_could_not_leave(code: int, runs: bool) -> None:
    def failing(*_: object) -> int:
        ctypes.set_errno(code)
        return -1

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(keyring, "system_call", failing)
        patch.setattr(keyring, "NUMBERS", dict.fromkeys([os.uname().machine], 250))
        if runs:
            leave_session_keyring()
            return
        with pytest.raises(OSError, match="quota"):
            leave_session_keyring()
