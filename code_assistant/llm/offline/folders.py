"""Dividing files among a few folders, so that each can be looked at by itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Group:
    """Files of a folder with all below it, or only those directly in it. `weight` is how much there is to see."""

    folder: str
    is_flat: bool
    weights: Mapping[str, int]

    @property
    def weight(self) -> int:
        return sum(self.weights.values())


def joined(folder: str, name: str) -> str:
    return name if folder in (".", "") else f"{folder.rstrip('/')}/{name}"


def divided(weights: Mapping[str, int], *, enough: int = 3, largest_share: float = 1.0) -> list[Group]:
    """Files by the folders they lie in, the heaviest first.

    Folders are divided, the heaviest first, until there are enough and none has more than a share of all.
    """
    total = sum(weights.values())
    groups = groups_below(".", weights)
    while True:
        parts = {group.folder: groups_below(group.folder, group.weights) for group in groups if not group.is_flat}
        divisible = [group for group in groups if not group.is_flat and not _is_whole(parts[group.folder])]
        largest = max(divisible, key=lambda group: group.weight, default=None)
        if largest is None or (len(groups) >= enough and largest.weight <= largest_share * total):
            break
        groups = [*(group for group in groups if group is not largest), *parts[largest.folder]]
    return sorted(groups, key=lambda group: -group.weight)


def _is_whole(parts: list[Group]) -> bool:
    return len(parts) == 1 and parts[0].is_flat


def groups_below(folder: str, weights: Mapping[str, int]) -> list[Group]:
    """One group for each folder directly below, and one for the files in between."""
    start = 0 if folder == "." else len(folder) + 1
    found: dict[str, dict[str, int]] = {}
    for path, weight in weights.items():
        name, slash, _ = path[start:].partition("/")
        found.setdefault(name if slash else "", {})[path] = weight
    return [Group(joined(folder, name) if name else folder, not name, inner) for name, inner in found.items()]
