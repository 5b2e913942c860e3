# Everything a fresh machine with Python 3.11 needs. Each target says what it does and can be run again.
PYTHON ?= python3.11
VENV := .venv
BIN := $(VENV)/bin
DEMO := demo/ann-arbor
PEERS := .venv-peers

.PHONY: help env test-env demo test check audit bench peers clean

help: ## list these targets
	@grep -E '^[a-z-]+:.*## ' Makefile | sed -E 's/^([a-z-]+):.*## /\1\t/' | expand -t 12

env: $(VENV)/.run ## build the environment in .venv

test-env: $(VENV)/.test

$(VENV)/bin/uv: requirements/bootstrap.txt
	@sh requirements/find-python.sh $(PYTHON) $(VENV)
	@echo "- installing the installer (uv)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/bootstrap.txt
	@touch $@

$(VENV)/.run: $(VENV)/bin/uv requirements/run.txt pyproject.toml
	@echo "- installing Quietway and what it runs on, checked against requirements/run.txt"
	@$(BIN)/uv pip install --python $(BIN)/python --require-hashes -r requirements/run.txt
	@$(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps -e .
	@touch $@
	@echo "- the environment is ready: $(BIN)/quietway --help"

$(VENV)/.test: $(VENV)/.run requirements/test.txt
	@echo "- installing the test tools, checked against requirements/test.txt"
	@$(BIN)/uv pip install --python $(BIN)/python --require-hashes -r requirements/test.txt
	@touch $@

demo: $(VENV)/.run ## publish the example city's weekday and say where the results are
	@$(BIN)/quietway demo $(DEMO)

test: $(VENV)/.test ## run every test
	@$(BIN)/python -m pytest -n 2

check: $(VENV)/.test ## lint, format and types
	@$(BIN)/ruff check src tests benchmarks
	@$(BIN)/ruff format --check src tests benchmarks
	@$(BIN)/basedpyright src

audit: $(VENV)/.test ## the statistical audit of the mechanisms for trip tables
	@$(BIN)/python -m tests.statistical.audit

bench: $(VENV)/.test ## the benchmarks, printed as ratios and kept in benchmarks/out
	@$(BIN)/python benchmarks/run.py spine
	@$(BIN)/python benchmarks/run.py cbdp
	@$(BIN)/python benchmarks/run.py od

$(PEERS)/.run: $(VENV)/bin/uv requirements/run.txt requirements/peers.txt pyproject.toml
	@echo "- installing what Quietway is compared with, checked against requirements/peers.txt, in $(PEERS)"
	@$(BIN)/uv venv --quiet --allow-existing --python $(BIN)/python $(PEERS)
	@$(BIN)/uv pip install --quiet --python $(PEERS)/bin/python --require-hashes -r requirements/run.txt
	@$(BIN)/uv pip install --quiet --python $(PEERS)/bin/python --require-hashes -r requirements/peers.txt
	@$(BIN)/uv pip install --quiet --python $(PEERS)/bin/python --no-deps -e .
	@touch $@

peers: $(PEERS)/.run ## compare errors with other packages (about a quarter of an hour), kept in benchmarks/out
	@$(PEERS)/bin/python -W ignore benchmarks/run.py peers_cbdp

clean: ## remove the environments and the demo
	rm -rf $(VENV) $(PEERS) demo
