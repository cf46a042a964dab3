"""Words of questions that tell nothing about what is looked for."""

from __future__ import annotations

_WORDS = """
    a about across actually add all along also am an and any anything are as asked at be because been before
    being between but by call called calls can change changes class code codebase come comes could define
    defined did different do does doing done down each else ever every everything explain file files find folder
    for from function functions get gets give given go goes going good had handle handled handles happen happens
    has have having he help her here hers him his how however i if implement implemented in inside into is it
    its itself just keep kept kind know let like line lines list live look made make makes many may maybe me
    mean means method might mine module more most much must my need needs never new no not now of off on once
    one only onto or other our out over own part parts place please possible project put really repo repository
    responsible run runs same say see seem several she should show so some something somehow such take tell than
    thanks that the their them then there these they thing things this those through time to together too under
    understand until up upon us use used uses using very want was way we well were what whatever when where
    whether which while who whom whose why will with within without work working works would write written yes
    you your
"""
STOP_WORDS = frozenset(_WORDS.split())
