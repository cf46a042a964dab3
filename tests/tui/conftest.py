"""What all tests of the screen share."""

from __future__ import annotations

from tests.tui.settling import settle_pilots

settle_pilots()
