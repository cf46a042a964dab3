"""NO_COLOR: what Textual must be told so that it sends no colour at all."""

from __future__ import annotations

from collections.abc import Mapping


def ansi_color(environ: Mapping[str, str]) -> bool | None:
    """The `ansi_color` argument of the app: True with NO_COLOR, else None (each theme decides).

    By itself Textual turns colours into greys then, which are colours still; and once a theme with the terminal's
    own colours is chosen, black on black. Told that colours are the terminal's from the start, it drops them all.
    """
    # Textual looks only at whether the variable is there, so an empty one counts as well.
    return True if "NO_COLOR" in environ else None
