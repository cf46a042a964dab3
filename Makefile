# Two commands are all a newcomer needs: `make run` and `make test`. Each sets up its own .venv first.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
UV     := $(shell command -v uv 2>/dev/null)
ARGS   ?=
# Most tests wait for a terminal, a server or a process: more workers than cores keep the cores busy.
WORKERS ?= 4

ifdef UV
INSTALL := $(UV) pip install --quiet --python $(BIN)/python
else
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check
endif

# Tests start the program hundreds of times: it need not be compiled each time, whatever the shell says.
test soak: export PYTHONDONTWRITEBYTECODE :=

.PHONY: run test lint format bench bench-baseline soak clean

run: $(VENV)/.runtime
	@$(BIN)/code-assistant $(ARGS)

# Types are checked beside the tests, and told after them; either fails the target. Test modules are compiled once,
# before several workers would each do it.
test: $(VENV)/.development format
	@$(BIN)/pyright --warnings > $(VENV)/types.log 2>&1 & types=$$!; \
	$(BIN)/python -m compileall -q code_assistant; \
	$(BIN)/python -m pytest --collect-only -q > /dev/null; \
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal -m "not soak" $(ARGS); tests=$$?; \
	wait $$types; types=$$?; cat $(VENV)/types.log; \
	exit $$(( tests ? tests : types ))

lint: format
	$(BIN)/pyright --warnings

format: $(VENV)/.development
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

bench: $(VENV)/.development
	$(BIN)/python -m benchmarks $(ARGS)

bench-baseline: $(VENV)/.development
	$(BIN)/python -m benchmarks --write-baseline $(ARGS)

soak: $(VENV)/.development
	HYPOTHESIS_PROFILE=random $(BIN)/python -m pytest -n $(WORKERS) -m soak $(ARGS)

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "code-assistant needs Python 3.11 or newer; '$(PYTHON)' is older. Try: make PYTHON=python3.12" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.runtime: pyproject.toml constraints.txt | $(BIN)/python
	$(INSTALL) --constraint constraints.txt --editable .
	@touch $@

$(VENV)/.development: pyproject.toml constraints.txt | $(BIN)/python
	$(INSTALL) --constraint constraints.txt --editable ".[dev]"
	@touch $@ $(VENV)/.runtime

clean:
	rm -rf $(VENV) .ruff_cache .pytest_cache build dist
