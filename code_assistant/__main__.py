"""The entry point. `--version` is answered before anything is imported; the rest is parsed in cli."""

from __future__ import annotations

import sys

from code_assistant import __version__


def main() -> None:
    if sys.argv[1:] == ["--version"]:
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
