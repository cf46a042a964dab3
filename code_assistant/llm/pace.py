"""What all requests to one provider have in common in time: its gate, how long it is waited for, and by which clock."""

from __future__ import annotations

from dataclasses import dataclass, field

from code_assistant.llm.clock import Clock, RealClock
from code_assistant.llm.patience import Patience
from code_assistant.llm.rate_gate import RateGate


@dataclass(frozen=True, slots=True)
class Pace:
    gate: RateGate = field(default_factory=RateGate)
    patience: Patience = field(default_factory=Patience)
    clock: Clock = field(default_factory=RealClock)
