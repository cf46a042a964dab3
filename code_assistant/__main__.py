"""The entry point. `--version` is answered before anything is imported; the rest is parsed in cli."""

# No `from __future__` here: that, too, is looked for in the folders of sys.path.
import os
import sys


def _leave_working_folder() -> None:
    """With `python -m` modules are first looked for where we are: in somebody's folder, before anybody trusts it."""
    try:
        here = os.getcwd()  # noqa: PTH109 (pathlib is one of the modules)
    except OSError:
        return
    package = os.path.dirname(os.path.realpath(__file__))  # noqa: PTH120
    if sys.path[:1] == [here] and os.path.dirname(package) != os.path.realpath(here):  # noqa: PTH120
        del sys.path[0]


if __name__ == "__main__":
    _leave_working_folder()


def main() -> None:
    if sys.argv[1:] == ["--version"]:
        from code_assistant import __version__

        sys.stdout.write(f"code-assistant {__version__}\n")
        return
    try:
        from code_assistant.cli import run

        code = run(sys.argv[1:])
    except KeyboardInterrupt:
        code = 130
    sys.exit(code)


if __name__ == "__main__":
    main()
