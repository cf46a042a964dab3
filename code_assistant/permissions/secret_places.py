"""Places with keys and tokens, and what this program keeps of its own: no tool reads them unasked, or finds them."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from code_assistant.permissions.access import Place
from code_assistant.permissions.hidden_paths import HiddenPaths
from code_assistant.protected_names import SECRET_PLACES


@dataclass(frozen=True, slots=True)
class SecretPlaces:
    """Data only: a search takes it along into its own process.

    `_beginnings` are the places as texts with a slash at their end, as `_opened` are: folders that lie in a secret
    place and are none, because the person works there. Without capital letters, which some file systems do not know.
    """

    places: tuple[Path, ...] = ()
    _beginnings: tuple[str, ...] = ()
    _opened: tuple[str, ...] = ()

    @classmethod
    def below(cls, home: Path, own_folders: Iterable[Path], folders: Iterable[Path]) -> SecretPlaces:
        opened = tuple(folders)
        usual = [form for place in SECRET_PLACES for form in _forms(home / place, opened)]
        own = [form for folder in own_folders for form in (folder, Path(os.path.realpath(folder)))]
        places = tuple(dict.fromkeys((*usual, *own)))
        beginnings = tuple(map(_beginning, places))
        return cls(places, beginnings, tuple(text for text in map(_beginning, opened) if text.startswith(beginnings)))

    def __call__(self, path: Path) -> bool:
        text = _beginning(path)
        return text.startswith(self._beginnings) and not text.startswith(self._opened)

    def names_of(self, place: Place) -> frozenset[str]:
        """How the secret places are called that a place lies in, as rules would have to say it; none for others."""
        texts = [_beginning(path) for path in place.names if self(path)]
        known = zip(self.places, self._beginnings, strict=True)
        return frozenset(each.name for each, beginning in known for text in texts if text.startswith(beginning))

    def are_in(self, folder: Path) -> bool:
        """Whether something secret is in a folder, so that who looks through it comes upon that."""
        return any(each.is_relative_to(folder) and os.path.lexists(each) and self(each) for each in self.places)


@dataclass(frozen=True, slots=True)
class Unseen:
    """What is left out where a folder is looked through: what rules hide, and what is secret."""

    by_rules: HiddenPaths | None
    secrets: SecretPlaces

    def __call__(self, path: Path) -> bool:
        return self.secrets(path) or (self.by_rules is not None and self.by_rules(path))


def _forms(place: Path, opened: tuple[Path, ...]) -> tuple[Path, ...]:
    """As it is called and where it really is; not where that is a file of an opened folder under its own name."""
    real = Path(os.path.realpath(place))
    is_link_into = any(real.is_relative_to(each) and not place.is_relative_to(each) for each in opened)
    return (place,) if is_link_into else (place, real)


def _beginning(path: Path) -> str:
    return f"{str(path).rstrip('/')}/".casefold()
