"""Which of a program's words name what it reads, by its table."""

from __future__ import annotations

from collections.abc import Sequence, Set

from code_assistant.permissions.shell.arguments import Arguments, Refused, shown
from code_assistant.permissions.shell.tables import Table

_STANDARD_INPUT = "-"


def walks_with(table: Table, arguments: Arguments) -> bool:
    return table.walks or not table.walking.isdisjoint(arguments.options)


def paths_among(name: str, table: Table, arguments: Arguments, *, walks: bool, loose: Set[str]) -> list[str]:
    """The paths it reads; raises Refused where the operands are not those of a program that only reads.

    Of the `loose` ones nobody knows which is the first.
    """
    operands = arguments.operands
    if table.needs and table.needs.isdisjoint(arguments.options):
        raise Refused(f"it is not known that {name} only reads like that")
    if len(operands) < table.least or (table.most is not None and len(operands) > table.most):
        raise Refused(f"{name} is given {len(operands)} operands, which is not known to only read")
    if table.operands == "none" and operands and table.listing.isdisjoint(arguments.options):
        raise Refused(f"{name} is given {shown(operands[0])}, which may change something")
    has_pattern = table.operands == "pattern" and table.pattern.isdisjoint(arguments.options)
    if has_pattern and not operands and table.least:
        raise Refused(f"{name} is given nothing to look for")
    fixed = (*arguments.values, *arguments.paths, *operands[: 1 if has_pattern else 0])
    if (taken := next((word for word in fixed if word in loose), None)) is not None:
        raise Refused(f"{name} may be given {shown(taken)} as more than a path")
    _check_forms(name, table, operands, loose)
    own = operands[1:] if has_pattern else operands if table.operands in ("paths", "pattern") else []
    own = [operand for operand in own if operand != _STANDARD_INPUT]
    if not own and (table.default or walks):
        own = ["."]
    return [*arguments.paths, *own]


def _check_forms(name: str, table: Table, operands: Sequence[str], loose: Set[str]) -> None:
    for at, operand in enumerate(operands if table.never is not None else ()):
        if (at == 0 or operand in loose) and table.never is not None and table.never.search(operand):
            raise Refused(f"{name} is given {shown(operand)}, which can do more than read")
    for operand in operands[:1] if table.operands == "pattern" else operands:
        if table.form is not None and not table.form.fullmatch(operand):
            raise Refused(f"{name} is given {shown(operand)}, which is not known to only read")
