"""The environment of commands is an allow list; no key is in it, under whatever name."""

from __future__ import annotations

from code_assistant.workspace.commands.environment import FIXED, SYSTEM_FOLDERS, command_environment
from tests.rows import each_row

KEY = "sk-ant-test-0123456789"
SYSTEM = ":".join(SYSTEM_FOLDERS)


def test_safe_s5_only_what_is_listed_is_passed_on() -> None:
    environ = {
        "PATH": "/opt/bin:/usr/bin",
        "HOME": "/home/ada",
        "LC_ALL": "C.UTF-8",
        "TERM": "xterm",
        "ANTHROPIC_API_KEY": KEY,
        "OPENAI_API_KEY": "x",
        "AWS_SECRET_ACCESS_KEY": "x",
        "LD_PRELOAD": "x.so",
        "PYTHONPATH": "lib",
        "BASH_ENV": "start.sh",
        "ENV": "start.sh",
        "BASH_FUNC_ls%%": "() { echo hidden; }",
        "GIT_DIR": "x",
    }
    assert command_environment(environ) == {
        "HOME": "/home/ada",
        "LC_ALL": "C.UTF-8",
        **FIXED,
        "PATH": "/opt/bin:/usr/bin:/usr/local/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin",
    }


@each_row("name", ["LC_NOTE", "HTTP_PROXY", "HOME", "TZ"])
@each_row("value", [KEY, f"http://user:{KEY}@proxy"])
def test_safe_s5_k1_a_variable_that_holds_a_key_is_left_out(name: str, value: str) -> None:
    assert name in command_environment({name: value})
    assert name not in command_environment({name: value}, [KEY])


def test_safe_s5_k1_not_even_the_path_can_hold_a_key() -> None:
    assert command_environment({"PATH": f"/opt/{KEY}/bin:/opt/bin"}, [KEY])["PATH"] == f"/opt/bin:{SYSTEM}"


def test_a_short_key_costs_only_the_variables_that_are_it() -> None:
    environ = {"HOME": "/home/ada", "USER": "ada"}
    assert command_environment(environ, ["ada", ""]) == {"HOME": "/home/ada", **FIXED, "PATH": SYSTEM}


@each_row(
    ("path", "fixed"),
    [
        ("", SYSTEM),
        (".:bin:/opt/bin::/opt/bin", f"/opt/bin:{SYSTEM}"),
        ("/sbin:/opt/bin", "/sbin:/opt/bin:/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin"),
        ("./node_modules/.bin:/usr/bin", "/usr/bin:/usr/local/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin"),
    ],
)
def test_safe_b4_nothing_in_the_path_depends_on_the_folder(path: str, fixed: str) -> None:
    assert command_environment({"PATH": path})["PATH"] == fixed
