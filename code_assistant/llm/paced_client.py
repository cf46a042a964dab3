"""What the clients of all services on the wire share: a model, how it is asked, and the pace of its provider."""

from __future__ import annotations

from code_assistant.llm.catalogue import Catalogue
from code_assistant.llm.model import Model
from code_assistant.llm.options import RequestOptions
from code_assistant.llm.pace import Pace
from code_assistant.llm.rate_gate import RateGate


class PacedClient:
    def __init__(self, model: Model, options: RequestOptions, catalogue: Catalogue, pace: Pace) -> None:
        self._model = model
        self._options = options
        self._catalogue = catalogue
        self._pace = pace

    @property
    def model(self) -> Model:
        return self._model

    @property
    def gate(self) -> RateGate:
        return self._pace.gate
