# Every verb of the project. A fresh machine needs Python >= 3.11 and make, nothing else.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
WORKERS ?= 2

.PHONY: help demo test check bench format wheel clean

help:  ## Show these verbs
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 12

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Signoff needs Python 3.11 or newer; set PYTHON=…")'
	$(PYTHON) -m venv $(VENV)

$(VENV)/runtime: $(BIN)/python requirements/runtime.txt requirements/build.txt pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/runtime.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/build.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@

$(VENV)/dev: $(VENV)/runtime requirements/dev.txt sdk/pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/dev.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable sdk
	@touch $@

demo: $(VENV)/runtime  ## A sandbox Slack, the bot and example runs, on this machine
	$(BIN)/signoff-bot demo

test: $(VENV)/dev  ## All tests
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile

check: $(VENV)/dev  ## Only lint, types and the rules of the house
	$(BIN)/python -m pytest tests/house

format: $(VENV)/dev  ## Lay out the code
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

$(VENV)/peers/installed: $(VENV)/dev requirements/bench.txt
	$(PYTHON) -m venv $(VENV)/peers
	$(VENV)/peers/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/bench.txt
	@touch $@

bench: $(VENV)/peers/installed  ## Ratios, side by side in one run, beside what others offer
	$(BIN)/python -m bench

wheel: $(VENV)/dev  ## Build the wheel into dist/
	$(BIN)/python -m build --wheel --no-isolation

clean:
	rm -rf $(VENV) dist build .pytest_cache .mypy_cache .ruff_cache .hypothesis
